import { describe, expect, it } from "vitest";
import { readSend, readTask } from "./requests.js";

const message = { kind: "message", messageId: "m1", role: "user", parts: [{ kind: "text", text: "hi" }] };
const withMessage = (changes: object) => ({ message: { ...message, ...changes } });
const withPart = (part: unknown) => withMessage({ parts: [part] });

describe("message/send of 0.3", () => {
  it("E8 reads everything that a message can hold", () => {
    const request = readSend({
      message: {
        ...message,
        contextId: "c1",
        taskId: "t1",
        parts: [
          { kind: "text", text: "hi", metadata: { lang: "en" } },
          { kind: "file", file: { bytes: "aGk=", name: "a.txt", mimeType: "text/plain" } },
          { kind: "file", file: { uri: "https://files.example/a" } },
          { kind: "data", data: { a: 1 } },
          { kind: "data", data: { value: [1, 2] }, metadata: { data_part_compat: true, kept: 1 } },
        ],
        metadata: { trace: "x" },
        extensions: ["https://ext.example/v1"],
        referenceTaskIds: ["t0"],
      },
      configuration: { acceptedOutputModes: ["text/plain"], historyLength: 2, blocking: true },
      metadata: { along: 1 },
    });
    expect(request).toEqual({
      contextId: "c1",
      taskId: "t1",
      blocking: true,
      historyLength: 2,
      metadata: { along: 1 },
      message: {
        messageId: "m1",
        role: "user",
        parts: [
          { text: "hi", metadata: { lang: "en" } },
          { raw: "aGk=", filename: "a.txt", mediaType: "text/plain" },
          { url: "https://files.example/a" },
          { data: { a: 1 } },
          { data: [1, 2], metadata: { kept: 1 } },
        ],
        metadata: { trace: "x" },
        extensions: ["https://ext.example/v1"],
        referenceTaskIds: ["t0"],
      },
    });
  });

  it("E9 does not block unless the client says so, also without a configuration", () => {
    expect(readSend({ message }).blocking).toBe(false);
    expect(readSend({ message, configuration: {} }).blocking).toBe(false);
    expect(readSend({ message, configuration: { blocking: false } }).blocking).toBe(false);
  });

  it("takes a message without a kind, as the examples of the specification have it", () => {
    expect(readSend(withMessage({ kind: undefined })).message.messageId).toBe("m1");
  });

  it.each<[string, Record<string, unknown>]>([
    ["message", {}],
    ["message.kind", withMessage({ kind: "task" })],
    ["message.messageId", withMessage({ messageId: undefined })],
    ["message.role", withMessage({ role: "ROLE_USER" })],
    ["message.role", withMessage({ role: "agent" })],
    ["message.role", withMessage({ role: undefined })],
    ["message.parts", withMessage({ parts: [] })],
    ["message.parts", withMessage({ parts: undefined })],
    ["message.parts[0]", withPart(7)],
    ["message.parts[0].kind", withPart({ text: "hi" })],
    ["message.parts[0].kind", withPart({ type: "text", text: "hi" })],
    ["message.parts[0].kind", withPart({ kind: "image" })],
    ["message.parts[0].text", withPart({ kind: "text" })],
    ["message.parts[0].file", withPart({ kind: "file" })],
    ["message.parts[0].file", withPart({ kind: "file", file: {} })],
    ["message.parts[0].file", withPart({ kind: "file", file: { bytes: "", uri: "u" } })],
    ["message.parts[0].file.bytes", withPart({ kind: "file", file: { bytes: "?" } })],
    ["message.parts[0].file.uri", withPart({ kind: "file", file: { uri: "" } })],
    ["message.parts[0].file.name", withPart({ kind: "file", file: { uri: "u", name: 7 } })],
    ["message.parts[0].data", withPart({ kind: "data" })],
    ["message.parts[0].data", withPart({ kind: "data", data: [1] })],
    ["message.parts[0].data", withPart({ kind: "data", data: "x" })],
    ["configuration.blocking", { message, configuration: { blocking: "true" } }],
    ["configuration.historyLength", { message, configuration: { historyLength: -1 } }],
  ])("refuses what is wrong with %s: %#", (field, params) => {
    expect(() => readSend(params)).toThrow(expect.objectContaining({ code: "invalid_argument", field }));
  });

  it("E23 reads where the caller wants to be notified", () => {
    const push = {
      id: "p",
      url: "https://hook.example/x",
      token: "t",
      authentication: { schemes: ["Bearer", "Basic"] },
    };
    expect(readSend({ message, configuration: { pushNotificationConfig: push } }).push).toEqual({
      version: "0.3",
      id: "p",
      field: "configuration.pushNotificationConfig.",
      address: { url: "https://hook.example/x", token: "t", schemes: ["Bearer", "Basic"] },
    });
    expect(readSend({ message, configuration: { pushNotificationConfig: null } })).not.toHaveProperty("push");
  });

  it("reads requests that name a task", () => {
    expect(readTask({ id: "t1", historyLength: 3, metadata: {} })).toEqual({ id: "t1", historyLength: 3 });
    expect(() => readTask({ id: 7 })).toThrow(expect.objectContaining({ field: "id" }));
  });
});
