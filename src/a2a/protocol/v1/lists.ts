import { invalidArgument } from "../../../shared/errors.js";
import { quoted } from "../../../shared/quoted.js";
import type { TaskSnapshot } from "../../../tasks/task.js";
import * as check from "../check.js";
import { list } from "../json-text.js";
import { LIMITS } from "../limits.js";
import type { Params } from "../read-request.js";
import { optionalTime } from "../read-time.js";
import type { ListRequest } from "../requests.js";
import { readStateV1, STATES_V1, type StateV1, standingsOf } from "../states.js";
import { writeTask } from "./tasks.js";

/** `ListTasksRequest` (A2A 1.0, 3.1.4). */
export function readList(params: Params): ListRequest {
  const request: ListRequest = {
    pageSize: readPageSize(params.pageSize),
    includeArtifacts: check.optionalBoolean(params.includeArtifacts, "includeArtifacts") ?? false,
  };
  const contextId = check.optionalId(params.contextId, "contextId");
  if (contextId !== undefined) request.contextId = contextId;
  const state = readState(params.status);
  if (state !== undefined) request.standings = standingsOf(state);
  const statusSince = optionalTime(params.statusTimestampAfter, "statusTimestampAfter");
  if (statusSince !== undefined) request.statusSince = statusSince;
  const pageToken = check.optionalLabel(params.pageToken, "pageToken", LIMITS.pageTokenLength);
  if (pageToken !== undefined) request.pageToken = pageToken;
  const historyLength = check.optionalCount(params.historyLength, "historyLength");
  if (historyLength !== undefined) request.historyLength = historyLength;
  const interfaceTenant = check.optionalLabel(params.tenant, "tenant");
  if (interfaceTenant !== undefined) request.interfaceTenant = interfaceTenant;
  return request;
}

function readPageSize(value: unknown): number {
  if (value === undefined || value === null) return LIMITS.defaultPageSize;
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= LIMITS.pageSize) return value;
  const got = typeof value === "number" ? `, got ${value}` : "";
  throw invalidArgument("pageSize", `must be a whole number from 1 to ${LIMITS.pageSize}${got}`);
}

/** The value that stands for none in protocol buffers filters nothing. */
function readState(value: unknown): StateV1 | undefined {
  if (value === undefined || value === null || value === "" || value === "TASK_STATE_UNSPECIFIED") return undefined;
  const state = readStateV1(value);
  if (state === undefined) throw invalidArgument("status", `must be one of ${STATES_V1.join(", ")}`);
  return state;
}

export interface TaskListPage {
  tasks: readonly TaskSnapshot[];
  total: number;
  /** Empty on the last page. */
  nextPageToken: string;
}

/** `ListTasksResponse`: all four fields are always there (A2A 1.0, 3.1.4). */
export function writeList({ tasks, total, nextPageToken }: TaskListPage, request: ListRequest): string {
  const { pageSize, historyLength, includeArtifacts } = request;
  const written = list(tasks, (task) => writeTask(task, historyLength, includeArtifacts));
  return `{"tasks":${written},"nextPageToken":${quoted(nextPageToken)},"pageSize":${pageSize},"totalSize":${total}}`;
}
