import type { LedgerReader } from "./read-ledger.js";

/** A task as its rows tell it. */
export interface TaskFacts {
  id: string;
  persona: string;
  state: string;
  attempt: number;
  seq: number;
  parentId: string | null;
  rootId: string;
  hop: number;
  leaseOwner: string | null;
  /** Text of the message that made it. */
  text: string;
  /** Text of its artifacts. */
  result: string;
  events: EventFacts[];
  children: TaskFacts[];
  /** Attempts that came to nothing because their owner was gone. */
  takenOver: number;
}

export interface EventFacts {
  seq: number;
  type: string;
  state?: string;
}

export interface LedgerFacts {
  tasks: ReadonlyMap<string, TaskFacts>;
  submissions: { messageId: string; taskId: string }[];
  deadLetters: string[];
  /** Tasks of which somebody still awaits the end. */
  waits: number;
}

interface TaskRow {
  id: string;
  persona: string;
  state: string;
  attempt: number;
  seq: number;
  parent_id: string | null;
  root_id: string;
  hop: number;
  lease_owner: string | null;
  artifacts: string | null;
}

export async function readFacts(ledger: LedgerReader): Promise<LedgerFacts> {
  const tasks = new Map<string, TaskFacts>();
  const columns = "id, persona, state, attempt, seq, parent_id, root_id, hop, lease_owner, artifacts";
  for (const row of await ledger.rows<TaskRow>(`SELECT ${columns} FROM tasks ORDER BY id`)) {
    tasks.set(row.id, {
      ...{ id: row.id, persona: row.persona, state: row.state, attempt: row.attempt, seq: row.seq, hop: row.hop },
      ...{ parentId: row.parent_id, rootId: row.root_id, leaseOwner: row.lease_owner },
      ...{
        text: "",
        result: row.artifacts === null ? "" : textOfArtifacts(row.artifacts),
        events: [],
        children: [],
        takenOver: 0,
      },
    });
  }
  for (const task of tasks.values()) if (task.parentId !== null) tasks.get(task.parentId)?.children.push(task);

  const events = "SELECT task_id, seq, type, body FROM events ORDER BY task_id, seq";
  for (const { task_id, seq, type, body } of await ledger.rows<{
    task_id: string;
    seq: number;
    type: string;
    body: string;
  }>(events)) {
    const task = tasks.get(task_id);
    if (task === undefined) throw new Error(`event ${seq} belongs to ${task_id}, which is not there`);
    const fact = JSON.parse(body);
    if (seq === 1) task.text = textOfParts(fact.message?.parts ?? []);
    const runs = ["claimed", "processing"].includes(
      task.events.findLast(({ state }) => state !== undefined)?.state ?? "",
    );
    // Whoever fails says why.
    if (runs && fact.state === "pending" && fact.message === undefined) task.takenOver += 1;
    task.events.push({ seq, type, ...(type === "status" && { state: fact.state }) });
  }

  const submissions = await ledger.rows<{ messageId: string; taskId: string }>(
    `SELECT message_id AS "messageId", task_id AS "taskId" FROM submissions`,
  );
  const dead = await ledger.rows<{ task_id: string }>("SELECT task_id FROM dead_letters");
  const [waits] = await ledger.rows<{ count: number }>("SELECT count(*) AS count FROM waits");
  return { tasks, submissions, deadLetters: dead.map(({ task_id }) => task_id), waits: Number(waits?.count) };
}

const textOfArtifacts = (json: string): string =>
  (JSON.parse(json) as { parts: { text?: string }[] }[]).map(({ parts }) => textOfParts(parts)).join("");
const textOfParts = (parts: readonly { text?: string }[]): string => parts.map(({ text = "" }) => text).join("");
