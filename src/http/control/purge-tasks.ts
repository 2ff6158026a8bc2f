import { invalidArgument, NuncioError } from "../../shared/errors.js";
import type { TaskKey, TaskLedger } from "../../tasks/ledger.js";
import { groupsOf, purgeTree } from "../../tasks/purge.js";
import type { Purged, PurgeTree } from "../../tasks/retention-ledger.js";
import type { Task } from "../../tasks/task.js";
import { isTerminal } from "../../tasks/task-state.js";

/** How long one request may go on; what is left is for the next. */
const PURGE_MS = 10_000;
const PAGE = 200;
/** No time is later. */
const ANY_TIME = Number.MAX_SAFE_INTEGER;

export interface PurgedSoFar {
  purged: number;
  /** Trees that would have been meant, and stay: something of them works, or is a dead letter. */
  kept: number;
  nextCursor: string | null;
}

/** What the operator names is purged, or it is said why not. */
export async function purgeOne(ledger: TaskLedger, task: Task, now: number): Promise<{ purged: number }> {
  if (task.parentId !== null) {
    throw new NuncioError(
      "failed_precondition",
      `task ${task.id} was delegated: it is purged with what it was a part of`,
      {
        reason: "TASK_IS_DELEGATED",
        hint: `nuncio task purge ${task.rootId}`,
      },
    );
  }
  const purged = await purgeTree(ledger, { tenant: task.tenant, rootId: task.id, endedBy: ANY_TIME, now });
  if (purged.type === "kept") throw refusal(task.id, purged);
  return { purged: purged.type === "purged" ? purged.tasks : 0 };
}

/** Everything of a conversation, or nothing when something of it still works. */
export async function purgeContext(
  ledger: TaskLedger,
  of: { tenant: string; contextId: string; endedBy: number | null },
  now: number,
): Promise<PurgedSoFar> {
  const { tenant, contextId, endedBy } = of;
  const roots: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = { contextId, limit: PAGE, ...(cursor === undefined ? {} : { cursor }) };
    const page = await ledger.forTenant(tenant).list(query);
    const unfinished = page.items.find(({ state }) => !isTerminal(state));
    if (unfinished !== undefined) throw notEnded(unfinished);
    for (const { id, parentId } of page.items) if (parentId === null) roots.push(id);
    cursor = page.nextCursor;
  }
  const done: PurgedSoFar = { purged: 0, kept: 0, nextCursor: null };
  const trees = roots.map((rootId) => ({ tenant, rootId, endedBy: endedBy ?? ANY_TIME, now }));
  await purgeTrees(ledger, trees, done);
  return done;
}

/** Everything that had ended by `endedBy`, of one tenant or all; for as long as one request may take. */
export async function purgeOlder(
  ledger: TaskLedger,
  of: { tenant?: string | undefined; endedBy: number; cursor?: string | undefined },
  now: number,
): Promise<PurgedSoFar> {
  const done: PurgedSoFar = { purged: 0, kept: 0, nextCursor: null };
  const deadline = performance.now() + PURGE_MS;
  let after: TaskKey | null =
    of.cursor !== undefined
      ? decodePosition(of.cursor)
      : of.tenant !== undefined
        ? { tenant: of.tenant, taskId: "" }
        : null;
  for (;;) {
    const { entries, next } = await ledger.system.retention.oldTasks({ after, before: of.endedBy, limit: PAGE });
    const roots = entries.filter(
      ({ parentId, endedAt }) => parentId === null && endedAt !== null && endedAt <= of.endedBy,
    );
    const trees = roots.map(({ tenant, taskId }) => ({ tenant, rootId: taskId, endedBy: of.endedBy, now }));
    await purgeTrees(ledger, trees, done);
    if (next === null || (of.tenant !== undefined && next.tenant !== of.tenant)) return done;
    if (performance.now() > deadline) return { ...done, nextCursor: encodePosition(next) };
    after = next;
  }
}

async function purgeTrees(ledger: TaskLedger, trees: readonly PurgeTree[], done: PurgedSoFar): Promise<void> {
  for (const group of groupsOf(trees)) {
    for (const purged of await Promise.all(group.map((tree) => purgeTree(ledger, tree)))) {
      if (purged.type === "purged") done.purged += purged.tasks;
      else if (purged.type === "kept") done.kept += 1;
    }
  }
}

function refusal(rootId: string, kept: Extract<Purged, { type: "kept" }>): NuncioError {
  const { taskId } = kept;
  if (kept.why === "planned") {
    return new NuncioError("failed_precondition", `task ${taskId} is a run of a planned task that is not complete`, {
      reason: "TASK_IS_PLANNED",
      hint: "`nuncio team list` shows the planned tasks; purge that one first, or complete it",
    });
  }
  if (kept.why === "uncertain") {
    return new NuncioError("failed_precondition", `a peer may still be at work on task ${taskId}`, {
      reason: "PEER_UNCERTAIN",
      hint: `\`nuncio a2a inspect ${taskId}\` shows what is known of it`,
    });
  }
  if (kept.why !== "dead") return notEnded({ id: taskId, state: kept.state }, rootId);
  return new NuncioError("failed_precondition", `task ${kept.taskId} is a dead letter that nobody has decided on`, {
    reason: "DEAD_LETTER",
    hint: `first \`nuncio dlq retry ${kept.taskId}\`, or \`nuncio dlq purge ${kept.taskId}\` to give it up`,
  });
}

const notEnded = ({ id, state }: Pick<Task, "id" | "state">, root: string = id): NuncioError =>
  new NuncioError(
    "failed_precondition",
    `task ${id}${id === root ? "" : `, which ${root} has led to,`} is ${state}; only what has ended can be purged`,
    { reason: "TASK_NOT_ENDED", hint: `\`nuncio task cancel ${id}\` ends it`, details: { taskId: id, state } },
  );

const encodePosition = ({ tenant, taskId }: TaskKey): string =>
  Buffer.from(JSON.stringify([tenant, taskId])).toString("base64url");

function decodePosition(cursor: string): TaskKey {
  try {
    const [tenant, taskId] = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8")) as unknown[];
    if (/^[^\p{Cc}]{1,64}$/u.test(String(tenant)) && /^[0-9a-f-]{0,36}$/.test(String(taskId))) {
      return { tenant: String(tenant), taskId: String(taskId) };
    }
  } catch {
    // Refused below.
  }
  throw invalidArgument("cursor", "the cursor is not one that a purge has returned");
}
