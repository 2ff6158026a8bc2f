import { listedTasks } from "../../access/decide.js";
import type { ListedQuery, TaskLedger } from "../../tasks/ledger.js";
import { LIMITS } from "../protocol/limits.js";
import type { ListRequest } from "../protocol/requests.js";
import type { TaskListPage } from "../protocol/v1/lists.js";
import type { Caller } from "./caller.js";
import { readPageToken, writePageToken } from "./page-token.js";

/** One page of the tasks of this agent that the caller may read one by one, and of nothing else. */
export async function listTasks(
  ledger: TaskLedger,
  { principal, persona }: Caller,
  request: ListRequest,
  now: number,
): Promise<TaskListPage> {
  const { contextId, standings, statusSince } = request;
  const whose = listedTasks(principal, persona.tenant);
  const filters: Pick<ListedQuery, "persona" | "principal" | "contextId" | "standings" | "statusSince"> = {
    persona: persona.name,
    ...(whose === "all" ? {} : whose),
    ...(contextId === undefined ? {} : { contextId }),
    ...(standings === undefined ? {} : { standings }),
    ...(statusSince === undefined ? {} : { statusSince }),
  };
  const list = JSON.stringify([persona.tenant, filters]);
  const { pageToken } = request;
  const { tasks, next, total } = await ledger.forTenant(persona.tenant).listed({
    ...filters,
    ...(pageToken === undefined ? {} : { after: readPageToken(pageToken, list) }),
    limit: request.pageSize,
    historyLength: Math.min(request.historyLength ?? LIMITS.listedHistory, LIMITS.listedHistory),
    artifacts: request.includeArtifacts,
    mostCharacters: LIMITS.listedCharacters,
    now,
  });
  return { tasks, total, nextPageToken: next === null ? "" : writePageToken(next, list) };
}
