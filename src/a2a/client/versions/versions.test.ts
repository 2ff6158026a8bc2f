import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NuncioError } from "../../../shared/errors.js";
import type { Message } from "../../../tasks/message.js";
import { SPELLINGS } from "./spelling.js";

const message: Message = {
  messageId: "m",
  role: "user",
  parts: [
    { text: "hello" },
    { data: [1] },
    { raw: "aGk=", filename: "hi.txt", mediaType: "text/plain" },
    { url: "https://x/" },
  ],
  metadata: { a: 1 },
};

describe("what is sent", () => {
  it("E15 is a message of 1.0", () => {
    expect(SPELLINGS["1.0"].sendParams({ message, contextId: "c", taskId: "t", waits: false })).toEqual({
      message: { ...message, role: "ROLE_USER", contextId: "c", taskId: "t" },
      configuration: { returnImmediately: true },
    });
    expect(SPELLINGS["1.0"].sendParams({ message, waits: true }).configuration).toEqual({});
  });

  it("E15 is a message of 0.3", () => {
    expect(SPELLINGS["0.3"].sendParams({ message, contextId: "c", waits: true, metadata: { m: 1 } })).toEqual({
      message: {
        ...{ kind: "message", messageId: "m", role: "user", contextId: "c", metadata: { a: 1 } },
        parts: [
          { kind: "text", text: "hello" },
          { kind: "data", data: { value: [1] }, metadata: { data_part_compat: true } },
          { kind: "file", file: { bytes: "aGk=", mimeType: "text/plain", name: "hi.txt" } },
          { kind: "file", file: { uri: "https://x/" } },
        ],
      },
      configuration: { blocking: true },
      metadata: { m: 1 },
    });
  });
});

describe("what is told", () => {
  const TOLD = {
    "1.0": {
      task: {
        task: {
          ...{
            id: "t",
            contextId: "c",
            status: {
              state: "TASK_STATE_INPUT_REQUIRED",
              message: { role: "ROLE_AGENT", messageId: "q", parts: [{ text: "?" }] },
            },
          },
          artifacts: [{ artifactId: "a", name: "result", parts: [{ data: { n: 1 } }] }],
          history: [{ messageId: "m", role: "ROLE_USER", parts: [{ text: "hello" }] }],
        },
      },
      status: { statusUpdate: { taskId: "t", contextId: "c", status: { state: "TASK_STATE_WORKING" } } },
      artifact: {
        artifactUpdate: {
          taskId: "t",
          contextId: "c",
          artifact: { artifactId: "a", parts: [] },
          append: true,
          lastChunk: true,
        },
      },
      message: { message: { messageId: "m", role: "ROLE_AGENT", parts: [{ text: "hi" }], contextId: "c" } },
    },
    "0.3": {
      task: {
        ...{ kind: "task", id: "t", contextId: "c" },
        status: {
          state: "input-required",
          message: { kind: "message", role: "agent", messageId: "q", parts: [{ kind: "text", text: "?" }] },
        },
        artifacts: [{ artifactId: "a", name: "result", parts: [{ kind: "data", data: { n: 1 } }] }],
        history: [{ kind: "message", messageId: "m", role: "user", parts: [{ kind: "text", text: "hello" }] }],
      },
      status: { kind: "status-update", taskId: "t", contextId: "c", status: { state: "working" }, final: false },
      artifact: {
        kind: "artifact-update",
        taskId: "t",
        contextId: "c",
        artifact: { artifactId: "a", parts: [] },
        append: true,
        lastChunk: true,
      },
      message: {
        kind: "message",
        messageId: "m",
        role: "agent",
        parts: [{ kind: "text", text: "hi" }],
        contextId: "c",
      },
    },
  } as const;

  it.each(["1.0", "0.3"] as const)("E15 means the same in %s", (version) => {
    const { readUpdate } = SPELLINGS[version];
    const ids = { taskId: "t", contextId: "c" };
    expect(readUpdate(TOLD[version].task)).toEqual({
      type: "task",
      task: {
        ...{ id: "t", contextId: "c", state: "TASK_STATE_INPUT_REQUIRED" },
        statusMessage: { messageId: "q", role: "agent", parts: [{ text: "?" }] },
        artifacts: [{ artifactId: "a", name: "result", parts: [{ data: { n: 1 } }] }],
        history: [{ messageId: "m", role: "user", parts: [{ text: "hello" }] }],
      },
    });
    expect(readUpdate(TOLD[version].status)).toEqual({
      type: "status",
      ...ids,
      state: "TASK_STATE_WORKING",
      message: null,
      final: false,
    });
    expect(readUpdate(TOLD[version].artifact)).toEqual({
      type: "artifact",
      ...ids,
      artifact: { artifactId: "a", parts: [] },
      append: true,
      lastChunk: true,
    });
    expect(readUpdate(TOLD[version].message)).toEqual({
      type: "message",
      message: { messageId: "m", role: "agent", parts: [{ text: "hi" }] },
      taskId: null,
      contextId: "c",
    });
  });

  it("E15 a task and a message of 0.3 are known without their kind; what is neither is no empty answer", () => {
    const { readAnswer, readUpdate } = SPELLINGS["0.3"];
    const { kind: _task, ...task } = TOLD["0.3"].task;
    const { kind: _message, ...message } = TOLD["0.3"].message;
    expect([readAnswer(task).type, readAnswer(message).type]).toEqual(["task", "message"]);
    for (const neither of [{}, TOLD["1.0"].task, TOLD["1.0"].message, { kind: "answer", parts: [] }]) {
      for (const read of [readAnswer, readUpdate]) expect(() => read(neither)).toThrow("must be task or message");
    }
  });

  it.each(["1.0", "0.3"] as const)("R5 %s: anything else is the agent's mistake, and nothing worse", (version) => {
    const spelling = SPELLINGS[version];
    const samples = Object.values(TOLD[version]);
    const mutated = fc
      .tuple(fc.constantFrom(...samples), fc.array(fc.nat(30), { maxLength: 4 }), fc.jsonValue())
      .map(([sample, path, value]) => replaced(sample, path, value));
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), mutated), (value) => {
        for (const read of [spelling.readUpdate, spelling.readAnswer, spelling.readTask]) {
          try {
            read(value);
          } catch (error) {
            expect(NuncioError.is(error) && error.reason).toBe("AGENT_ANSWER_INVALID");
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});

/** The value with what stands at a place in it put in place of something else. */
function replaced(value: unknown, [at, ...path]: number[], by: unknown): unknown {
  if (at === undefined || typeof value !== "object" || value === null) return by;
  const keys = Object.keys(value);
  const key = keys[at % Math.max(keys.length, 1)];
  if (key === undefined) return by;
  const changed = replaced((value as Record<string, unknown>)[key], path, by);
  return Array.isArray(value)
    ? value.map((item, i) => (String(i) === key ? changed : item))
    : { ...value, [key]: changed };
}
