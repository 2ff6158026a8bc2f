import { describe, expect, it } from "vitest";
import { readSend, readTask } from "./requests.js";

const message = { messageId: "m1", role: "ROLE_USER", parts: [{ text: "hi" }] };
const withMessage = (changes: object) => ({ message: { ...message, ...changes } });
const withPart = (part: unknown) => withMessage({ parts: [part] });

/** Objects in objects, `levels` deep. */
const nested = (levels: number): object => (levels === 1 ? {} : { in: nested(levels - 1) });

describe("SendMessage of 1.0", () => {
  it("reads everything that a message can hold", () => {
    const request = readSend({
      tenant: "acme",
      message: {
        messageId: "m1",
        contextId: "c1",
        taskId: "t1",
        role: "ROLE_USER",
        parts: [
          { text: "hi", metadata: { lang: "en" } },
          { raw: "aGk=", filename: "a.txt", mediaType: "text/plain" },
          { url: "https://files.example/a" },
          { data: [1, { deep: null }] },
          { data: null },
        ],
        metadata: { trace: "x" },
        extensions: ["https://ext.example/v1"],
        referenceTaskIds: ["t0"],
      },
      configuration: { acceptedOutputModes: ["text/plain"], historyLength: 0, returnImmediately: true },
      metadata: { along: 1 },
    });
    expect(request).toEqual({
      interfaceTenant: "acme",
      contextId: "c1",
      taskId: "t1",
      blocking: false,
      historyLength: 0,
      metadata: { along: 1 },
      message: {
        messageId: "m1",
        role: "user",
        parts: [
          { text: "hi", metadata: { lang: "en" } },
          { raw: "aGk=", filename: "a.txt", mediaType: "text/plain" },
          { url: "https://files.example/a" },
          { data: [1, { deep: null }] },
          { data: null },
        ],
        metadata: { trace: "x" },
        extensions: ["https://ext.example/v1"],
        referenceTaskIds: ["t0"],
      },
    });
  });

  it("E9 blocks unless the client wants its answer at once", () => {
    expect(readSend({ message }).blocking).toBe(true);
    expect(readSend({ message, configuration: {} }).blocking).toBe(true);
    expect(readSend({ message, configuration: { returnImmediately: false } }).blocking).toBe(true);
  });

  it("takes null, and empty text where a name is optional, for absent; unknown fields are for later versions", () => {
    const request = readSend({
      message: { ...message, contextId: "", taskId: null, metadata: null, extensions: [], future: { x: 1 } },
      configuration: null,
      tenant: "",
      another: true,
    });
    expect(request).toEqual({ message: { messageId: "m1", role: "user", parts: [{ text: "hi" }] }, blocking: true });
  });

  it.each([
    ["aGk", "aGk="],
    ["-_-_", "+/+/"],
    ["-_8", "+/8="],
    ["", ""],
  ])("takes the base64 spelling %j for %j", (raw, standard) => {
    expect(readSend(withPart({ raw })).message.parts).toEqual([{ raw: standard }]);
  });

  it.each([`${"=".repeat(1_000_000)}x`, `${"A".repeat(1_000_000)}=x`, `x${"=".repeat(1_000_000)}`])(
    "R5 refuses what is no base64 in the time that it takes to read it",
    (raw) => {
      expect(() => readSend(withPart({ raw }))).toThrow(expect.objectContaining({ field: "message.parts[0].raw" }));
    },
  );

  it.each<[string, Record<string, unknown>]>([
    ["message", {}],
    ["message", { message: null }],
    ["message", { message: "hi" }],
    ["message", { message: [message] }],
    ["message.messageId", withMessage({ messageId: undefined })],
    ["message.messageId", withMessage({ messageId: "" })],
    ["message.messageId", withMessage({ messageId: 7 })],
    ["message.messageId", withMessage({ messageId: "x".repeat(257) })],
    ["message.messageId", withMessage({ messageId: "a\nb" })],
    ["message.messageId", withMessage({ messageId: "a\u0085b" })],
    ["message.messageId", withMessage({ messageId: "\ud800" })],
    ["message.role", withMessage({ role: undefined })],
    ["message.role", withMessage({ role: "user" })],
    ["message.role", withMessage({ role: "ROLE_UNSPECIFIED" })],
    ["message.role", withMessage({ role: "ROLE_AGENT" })],
    ["message.role", withMessage({ role: "ROLE_SYSTEM" })],
    ["message.role", withMessage({ role: 1 })],
    ["message.parts", withMessage({ parts: undefined })],
    ["message.parts", withMessage({ parts: null })],
    ["message.parts", withMessage({ parts: [] })],
    ["message.parts", withMessage({ parts: { text: "hi" } })],
    ["message.parts", withMessage({ parts: Array(1001).fill({ text: "" }) })],
    ["message.parts[0]", withPart(null)],
    ["message.parts[0]", withPart("hi")],
    ["message.parts[0]", withPart({})],
    ["message.parts[0]", withPart({ kind: "text" })],
    ["message.parts[0]", withPart({ text: "a", data: 1 })],
    ["message.parts[0]", withPart({ raw: "", url: "u" })],
    ["message.parts[0].text", withPart({ text: 7 })],
    ["message.parts[0].text", withPart({ text: "\udc00" })],
    ["message.parts[0].raw", withPart({ raw: "a" })],
    ["message.parts[0].raw", withPart({ raw: "aGk=aGk=" })],
    ["message.parts[0].raw", withPart({ raw: "aG k" })],
    ["message.parts[0].raw", withPart({ raw: "aGk==" })],
    ["message.parts[0].raw", withPart({ raw: "äöü" })],
    ["message.parts[0].raw", withPart({ raw: [1] })],
    ["message.parts[0].url", withPart({ url: "" })],
    ["message.parts[0].url", withPart({ url: "x".repeat(9000) })],
    ["message.parts[0].data", withPart({ data: nested(65) })],
    ["message.parts[0].data", withPart({ data: { a: "\ud800" } })],
    ["message.parts[0].data", withPart({ data: { "\ud800": 1 } })],
    ["message.parts[0].data", withPart({ data: JSON.parse("[1e999]") })],
    ["message.parts[0].metadata", withPart({ text: "a", metadata: [] })],
    ["message.parts[0].filename", withPart({ text: "a", filename: "x".repeat(513) })],
    ["message.parts[0].mediaType", withPart({ text: "a", mediaType: 1 })],
    ["message.metadata", withMessage({ metadata: "x" })],
    ["message.metadata", withMessage({ metadata: nested(65) })],
    ["message.extensions", withMessage({ extensions: "x" })],
    ["message.extensions[1]", withMessage({ extensions: ["a", 1] })],
    ["message.extensions", withMessage({ extensions: Array(65).fill("a") })],
    ["message.referenceTaskIds[0]", withMessage({ referenceTaskIds: [""] })],
    ["message.contextId", withMessage({ contextId: 7 })],
    ["message.contextId", withMessage({ contextId: "a\u0000" })],
    ["message.taskId", withMessage({ taskId: {} })],
    ["configuration", { message, configuration: "x" }],
    ["configuration.historyLength", { message, configuration: { historyLength: -1 } }],
    ["configuration.historyLength", { message, configuration: { historyLength: "abc" } }],
    ["configuration.historyLength", { message, configuration: { historyLength: 1.5 } }],
    ["configuration.historyLength", { message, configuration: { historyLength: 2 ** 31 } }],
    ["configuration.returnImmediately", { message, configuration: { returnImmediately: "yes" } }],
    ["configuration.acceptedOutputModes", { message, configuration: { acceptedOutputModes: "text" } }],
    ["metadata", { message, metadata: [] }],
    ["tenant", { message, tenant: 7 }],
  ])("refuses what is wrong with %s: %#", (field, params) => {
    expect(() => readSend(params)).toThrow(expect.objectContaining({ code: "invalid_argument", field }));
  });

  it("refuses nesting without end, however deep it is", () => {
    const data: unknown = JSON.parse("[".repeat(400_000) + "]".repeat(400_000));
    expect(() => readSend(withPart({ data }))).toThrow(expect.objectContaining({ field: "message.parts[0].data" }));
  });

  it("E23 reads where the caller wants to be notified", () => {
    const authentication = { scheme: "Bearer", credentials: "c" };
    const push = { url: "https://hook.example", authentication };
    expect(readSend({ message, configuration: { taskPushNotificationConfig: push } }).push).toEqual({
      version: "1.0",
      field: "configuration.taskPushNotificationConfig.",
      address: { url: "https://hook.example", schemes: ["Bearer"], credentials: "c" },
    });
    expect(readSend({ message, configuration: { taskPushNotificationConfig: null } })).not.toHaveProperty("push");
  });
});

describe("requests that name a task", () => {
  it("read the id and the length of the history", () => {
    expect(readTask({ id: "t1", historyLength: 3, tenant: "acme" })).toEqual({
      id: "t1",
      historyLength: 3,
      interfaceTenant: "acme",
    });
  });

  it.each<[string, Record<string, unknown>]>([
    ["id", {}],
    ["id", { id: "" }],
    ["id", { id: 7 }],
    ["id", { id: "a".repeat(300) }],
    ["historyLength", { id: "t", historyLength: -1 }],
    ["historyLength", { id: "t", historyLength: "1" }],
    ["metadata", { id: "t", metadata: 1 }],
  ])("refuse what is wrong with %s: %#", (field, params) => {
    expect(() => readTask(params)).toThrow(expect.objectContaining({ code: "invalid_argument", field }));
  });
});
