import { expect, it } from "vitest";
import type { Message } from "../../../tasks/message.js";
import type { TaskSnapshot } from "../../../tasks/task.js";
import type { TaskEvent } from "../../../tasks/task-event.js";
import type { TaskState, WaitReason } from "../../../tasks/task-state.js";
import { shownEvents, shownStatus } from "./shown-status.js";

const WORDS = "words";
const FAILED = "The work has failed. Only the operator of this agent can tell why.";
const message: Message = {
  ...{ messageId: "m", role: "agent", parts: [{ text: WORDS }] },
  metadata: { stderr: "/home/of/the/operator" },
};

it.each<[TaskState, WaitReason | null, string | null]>([
  ["pending", null, null],
  ["processing", null, WORDS],
  ["waiting", "input", WORDS],
  ["waiting", "auth", WORDS],
  ["waiting", "approval", null],
  ["waiting", "reply", null],
  ["completed", null, WORDS],
  ["failed", null, FAILED],
  ["canceled", null, null],
])(
  "P18 of work that is %s (%s) a peer hears what the persona says, and nothing that we say of ourselves",
  async (...of) => {
    const [state, waitingFor, shown] = of;
    const said = (one: Message | null | undefined) =>
      one == null ? null : one.parts.map((part) => ("text" in part ? part.text : "")).join("");
    const { statusMessage } = shownStatus({ state, waitingFor, statusMessage: message } as TaskSnapshot);
    expect(said(statusMessage)).toBe(shown);
    const status = { type: "status", state, ...(waitingFor !== null && { waitingFor }), seq: 2, at: 1 } as const;
    const artifact: TaskEvent = {
      ...{ type: "artifact", append: false, lastChunk: true, seq: 3, at: 1 },
      artifact: { artifactId: "a", parts: [{ text: "found" }] },
    };
    async function* events(): AsyncGenerator<TaskEvent[]> {
      yield [{ ...status, message }, artifact];
      yield [status];
    }
    const batches: TaskEvent[][] = [];
    for await (const batch of shownEvents(events())) batches.push(batch);
    const [[first, second] = [], rest] = batches;
    expect(first).toMatchObject(status);
    expect(said((first as { message?: Message }).message)).toBe(shown);
    if (state === "failed") expect(JSON.stringify([first, statusMessage])).not.toContain("/home");
    expect(second).toBe(artifact);
    expect(rest).toEqual([status]);
  },
);
