import { Message, Task } from "@a2a-js/sdk";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../shared/json.js";
import type { Part } from "../../tasks/message.js";
import type { TaskSnapshot } from "../../tasks/task.js";
import { CODECS, type VisibleUpdate } from "./codec.js";

const at = Date.UTC(2026, 0, 2, 3, 4, 5, 6);

const snapshot: TaskSnapshot = {
  id: "t1",
  tenant: "default",
  contextId: "c1",
  persona: "p",
  principal: "user:a",
  trigger: "a2a",
  state: "waiting",
  waitingFor: "input",
  askingChildId: null,
  parentId: null,
  rootId: "t1",
  hop: 0,
  turn: 1,
  attempt: 1,
  seq: 4,
  retryOf: null,
  runAt: at,
  inputTokens: 0,
  outputTokens: 0,
  createdAt: at,
  updatedAt: at,
  history: [
    { messageId: "m1", role: "user", parts: [{ text: "first" }] },
    { messageId: "m2", role: "agent", parts: [{ text: "second" }] },
    { messageId: "m3", role: "user", parts: [{ text: "third" }] },
  ],
  work: null,
  statusMessage: { messageId: "m4", role: "agent", parts: [{ text: "which one?" }] },
  statusAt: at,
  started: true,
  artifacts: [
    { artifactId: "a1", name: "result", parts: [{ raw: "aGk=", mediaType: "text/plain", filename: "hi.txt" }] },
  ],
};

describe("tasks on the wire", () => {
  it("E20 are the canonical ProtoJSON of 1.0: the official codec reads and writes them unchanged", () => {
    const written = JSON.parse(CODECS["1.0"].task(snapshot));
    expect(written.status).toEqual({
      state: "TASK_STATE_INPUT_REQUIRED",
      message: { messageId: "m4", contextId: "c1", taskId: "t1", role: "ROLE_AGENT", parts: [{ text: "which one?" }] },
      timestamp: "2026-01-02T03:04:05.006Z",
    });
    expect(Task.toJSON(Task.fromJSON(written))).toEqual(written);
  });

  it("E8 of 0.3 say of what kind they are", () => {
    expect(JSON.parse(CODECS["0.3"].task(snapshot, 1))).toEqual({
      kind: "task",
      id: "t1",
      contextId: "c1",
      status: {
        state: "input-required",
        message: {
          kind: "message",
          messageId: "m4",
          contextId: "c1",
          taskId: "t1",
          role: "agent",
          parts: [{ kind: "text", text: "which one?" }],
        },
        timestamp: "2026-01-02T03:04:05.006Z",
      },
      artifacts: [
        {
          artifactId: "a1",
          name: "result",
          parts: [{ kind: "file", file: { bytes: "aGk=", mimeType: "text/plain", name: "hi.txt" } }],
        },
      ],
      history: [
        {
          kind: "message",
          messageId: "m3",
          contextId: "c1",
          taskId: "t1",
          role: "user",
          parts: [{ kind: "text", text: "third" }],
        },
      ],
    });
  });

  it.each([
    [undefined, ["m1", "m2", "m3"]],
    [0, undefined],
    [2, ["m2", "m3"]],
    [9, ["m1", "m2", "m3"]],
  ])("with a history length of %s carry %j", (length, ids) => {
    for (const codec of Object.values(CODECS)) {
      const { history }: { history?: { messageId: string }[] } = JSON.parse(codec.task(snapshot, length));
      expect(history?.map((said) => said.messageId)).toEqual(ids);
    }
  });

  it("leave out what is empty", () => {
    const bare = { ...snapshot, history: [], artifacts: [], statusMessage: null };
    expect(Object.keys(JSON.parse(CODECS["1.0"].task(bare)))).toEqual(["id", "contextId", "status"]);
    expect(Object.keys(JSON.parse(CODECS["0.3"].task(bare)))).toEqual(["kind", "id", "contextId", "status"]);
  });
});

describe("updates on the wire", () => {
  const facts = { state: "completed", waitingFor: null, started: true } as const;
  const status = { event: { type: "status", state: "completed", seq: 5, at }, facts, final: true } as const;
  const artifact: VisibleUpdate = {
    event: {
      type: "artifact",
      artifact: { artifactId: "a1", parts: [{ text: "x" }] },
      append: true,
      lastChunk: false,
      seq: 4,
      at,
    },
    facts,
    final: false,
  };

  it("E22 of 1.0 have no final flag, and leave out what is false", () => {
    expect(JSON.parse(CODECS["1.0"].streamedUpdate(snapshot, status))).toEqual({
      statusUpdate: {
        taskId: "t1",
        contextId: "c1",
        status: { state: "TASK_STATE_COMPLETED", timestamp: "2026-01-02T03:04:05.006Z" },
      },
    });
    expect(JSON.parse(CODECS["1.0"].streamedUpdate(snapshot, artifact))).toEqual({
      artifactUpdate: {
        taskId: "t1",
        contextId: "c1",
        artifact: { artifactId: "a1", parts: [{ text: "x" }] },
        append: true,
      },
    });
  });

  it("E22 of 0.3 say which one is the last", () => {
    expect(JSON.parse(CODECS["0.3"].streamedUpdate(snapshot, status))).toEqual({
      kind: "status-update",
      taskId: "t1",
      contextId: "c1",
      status: { state: "completed", timestamp: "2026-01-02T03:04:05.006Z" },
      final: true,
    });
    expect(JSON.parse(CODECS["0.3"].streamedUpdate(snapshot, artifact))).toMatchObject({
      kind: "artifact-update",
      artifact: { parts: [{ kind: "text", text: "x" }] },
      append: true,
      lastChunk: false,
    });
  });
});

describe("messages there and back", () => {
  const text = fc.string({ unit: "grapheme" });
  const struct = fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue({ maxDepth: 3 }), {
    minKeys: 1,
    maxKeys: 3,
  });
  const metadata = fc.option(struct, { nil: undefined });
  const label = fc.option(fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 }), { nil: undefined });
  const base64 = fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString("base64"));
  const only = <T extends object>(value: T): T =>
    Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T;
  const part = fc.oneof(
    fc.record({ text, metadata }),
    fc.record({ raw: base64, filename: label, mediaType: label, metadata }),
    fc.record({ url: fc.webUrl(), filename: label, mediaType: label, metadata }),
    fc.record({ data: fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>, metadata }),
  );
  const message = fc.record({
    messageId: fc.uuid(),
    role: fc.constant("user" as const),
    parts: fc.array(
      part.map((made) => only(made) as Part),
      { minLength: 1, maxLength: 4 },
    ),
  });

  it.each(["1.0", "0.3"] as const)("%s: what is written is read as the same", (version) => {
    fc.assert(
      fc.property(message, (said) => {
        const codec = CODECS[version];
        const written = JSON.parse(codec.sentMessage(said, "c1"));
        const read = codec.readSend({ message: version === "1.0" ? written.message : written });
        expect(read.message).toEqual(JSON.parse(JSON.stringify(said)));
        expect(read.contextId).toBe("c1");
      }),
      { numRuns: 300 },
    );
  });

  it("E20 the official codec of 1.0 changes nothing in them", () => {
    fc.assert(
      fc.property(message, (said) => {
        const { message: written } = JSON.parse(CODECS["1.0"].sentMessage(said, "c1"));
        fc.pre(!said.parts.some((given) => "data" in given && given.data === null));
        expect(Message.toJSON(Message.fromJSON(written))).toEqual(written);
      }),
      { numRuns: 300 },
    );
  });
});
