import type { ControlClient } from "../../../src/client/control-client.js";
import type { TaskDetail, TaskSummary } from "../../../src/http/control/schema/task.js";
import type { FollowLine, TaskEventJson } from "../../../src/http/control/schema/task-event.js";

/** The task as it stands when it has ended, or waits for its caller. */
export async function untilSettled(client: ControlClient, id: string): Promise<TaskDetail> {
  for await (const _ of client.follow(id));
  return client.task(id);
}

/** Follows a task and what it delegates until a line is what is looked for; fails when the task settles before. */
export async function untilLine(
  client: ControlClient,
  id: string,
  isIt: (line: FollowLine) => boolean,
): Promise<FollowLine> {
  for await (const line of client.follow(id)) if (isIt(line)) return line;
  throw new Error(`task ${id} has settled: ${JSON.stringify(await client.task(id))}`);
}

/** Waits until the task, or one that it delegated, says this as its progress. */
export async function untilSaid(client: ControlClient, id: string, text: string): Promise<string> {
  const line = await untilLine(
    client,
    id,
    (one) => one.type === "event" && one.event.type === "status" && said(one.event) === text,
  );
  return (line as FollowLine & { type: "event" }).taskId;
}

/** Back in the queue with the reason of a failure: the next attempt is to come. */
export const isRetry = (line: FollowLine): boolean =>
  line.type === "event" &&
  line.event.type === "status" &&
  line.event.state === "pending" &&
  said(line.event) !== undefined;

/** Of the task that is followed, or of one that it delegated. */
export const isStatus =
  (state: string) =>
  (line: FollowLine): boolean =>
    line.type === "event" && line.event.type === "status" && line.event.state === state;

/** What the task that is followed, or one that it delegated, says with this line. */
export const saidIn = (line: FollowLine): string | undefined =>
  line.type === "event" && line.event.type === "status" ? said(line.event) : undefined;

const said = (event: TaskEventJson & { type: "status" }): string | undefined => event.message?.parts[0]?.text;

export async function allTasks(client: ControlClient): Promise<TaskSummary[]> {
  const tasks: TaskSummary[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.tasks({ limit: 500, cursor });
    tasks.push(...page.tasks);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return tasks;
}

export async function allEvents(client: ControlClient, id: string): Promise<TaskEventJson[]> {
  const events: TaskEventJson[] = [];
  for (;;) {
    const page = await client.events(id, events.at(-1)?.seq ?? 0, 1000);
    events.push(...page.events);
    if (page.events.length < 1000) return events;
  }
}

/** The text of the artifact `result`, or of whatever there is. */
export const resultOf = (task: {
  artifacts?: readonly { artifactId: string; parts: readonly { text?: string | undefined }[] }[];
}): string => (task.artifacts ?? []).flatMap((artifact) => artifact.parts.map((part) => part.text ?? "")).join("");
