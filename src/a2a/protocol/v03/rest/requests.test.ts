import { describe, expect, it } from "vitest";
import { CODECS } from "../../codec.js";
import { readCreatePush, readSend, readTask, spellingOf } from "./requests.js";

const codec = CODECS["0.3"];

/** As the SDKs for JavaScript 0.3.14 and Python 0.3.26 send it. */
const PROTO = {
  message: {
    messageId: "m",
    contextId: "c",
    role: "ROLE_USER",
    content: [
      { text: "hi", metadata: { a: 1 } },
      { text: "" },
      { data: { data: { x: [1] } } },
      { file: { fileWithBytes: "aGk=", mimeType: "text/plain", name: "hi.txt" } },
      { file: { fileWithUri: "https://x.example" } },
    ],
    metadata: { k: 1 },
    extensions: ["u"],
  },
  configuration: {
    acceptedOutputModes: ["text/plain"],
    pushNotification: { id: "p", url: "https://h.example", authentication: { schemes: ["Bearer"] } },
    historyLength: 2,
    blocking: true,
  },
  metadata: { z: 1 },
};

const JSON_SPELLING = {
  message: {
    kind: "message",
    messageId: "m",
    contextId: "c",
    role: "user",
    parts: [
      { kind: "text", text: "hi", metadata: { a: 1 } },
      { kind: "text", text: "" },
      { kind: "data", data: { x: [1] } },
      { kind: "file", file: { bytes: "aGk=", mimeType: "text/plain", name: "hi.txt" } },
      { kind: "file", file: { uri: "https://x.example" } },
    ],
    metadata: { k: 1 },
    extensions: ["u"],
  },
  configuration: {
    acceptedOutputModes: ["text/plain"],
    pushNotificationConfig: { id: "p", url: "https://h.example", authentication: { schemes: ["Bearer"] } },
    historyLength: 2,
    blocking: true,
  },
  metadata: { z: 1 },
};

describe("messages of 0.3 over REST", () => {
  it("E8 mean the same in both spellings", () => {
    expect(readSend(PROTO)).toEqual(JSON_SPELLING);
    expect(readSend(JSON_SPELLING)).toBe(JSON_SPELLING);
    expect(codec.readSend(readSend(PROTO))).toEqual(codec.readSend(JSON_SPELLING));
  });

  it("E8 are told apart by what only one of them has", () => {
    const parts = [{ kind: "text", text: "hi" }];
    expect(spellingOf(PROTO)).toBe("proto");
    expect(spellingOf(JSON_SPELLING)).toBe("json");
    expect(spellingOf({ message: { messageId: "m", role: "user", parts } })).toBe("json");
    for (const message of [undefined, null, "hi", {}]) expect(spellingOf({ message })).toBe("proto");
  });

  it("a history of length 0 is no bound in protocol buffers", () => {
    const { message } = PROTO;
    expect(codec.readSend(readSend({ message, configuration: { historyLength: 0 } }))).not.toHaveProperty(
      "historyLength",
    );
  });

  const withMessage = (over: object) => ({ message: { ...PROTO.message, ...over } });
  it.each<[string, object]>([
    ["message", {}],
    ["message", { message: "hi" }],
    ["message", { message: [] }],
    ["message.messageId", withMessage({ messageId: undefined })],
    ["message.role", withMessage({ role: undefined })],
    ["message.role", withMessage({ role: "ROLE_SYSTEM" })],
    ["message.role", withMessage({ role: "toString" })],
    ["message.role", withMessage({ role: 1 })],
    ["message.content", withMessage({ content: undefined })],
    ["message.content", withMessage({ content: [] })],
    ["message.content", withMessage({ content: { text: "hi" } })],
    ["message.content[0]", withMessage({ content: ["hi"] })],
    ["message.content[0]", withMessage({ content: [null] })],
    ["message.content[1]", withMessage({ content: [{ text: "hi" }, {}] })],
    ["message.content[0]", withMessage({ content: [{ text: "hi", data: { data: {} } }] })],
    ["message.content[0].data", withMessage({ content: [{ data: 7 }] })],
    ["message.content[0].file", withMessage({ content: [{ file: "x" }] })],
    ["message.content[0].data.data", withMessage({ content: [{ data: {} }] })],
    ["message.content[0].text", withMessage({ content: [{ text: 7 }] })],
    ["message.parts[0].file", withMessage({ content: [{ file: {} }] })],
    ["configuration", { ...PROTO, configuration: "x" }],
    ["configuration.blocking", { ...PROTO, configuration: { blocking: "yes" } }],
  ])("R5 the error names %s: %#", (field, body) => {
    expect(() => codec.readSend(readSend(body as Record<string, unknown>))).toThrow(
      expect.objectContaining({ code: "invalid_argument", field }),
    );
  });
});

describe("requests of 0.3 that name a task", () => {
  it("E8 may say it once more, in either way", () => {
    for (const body of [{}, { name: "tasks/t" }, { id: "t" }, { name: "", id: null }]) {
      expect(readTask(body, "t")).toEqual({ id: "t" });
    }
    expect(readTask({ name: "tasks/t", metadata: { a: 1 } }, "t")).toEqual({ id: "t", metadata: { a: 1 } });
  });

  it.each([
    ["name", { name: "tasks/other" }],
    ["name", { name: "t" }],
    ["name", { name: 7 }],
    ["id", { id: "other" }],
    ["id", { id: 7 }],
  ])("E24 but not another one: %s in %j", (field, body) => {
    expect(() => readTask(body, "t")).toThrow(expect.objectContaining({ code: "invalid_argument", field }));
  });
});

describe("push configurations of 0.3 over REST", () => {
  const url = "https://h.example";
  const set = (config: object) => ({ taskId: "t", pushNotificationConfig: config });

  it.each<[string, object, object]>([
    [
      "for Python",
      {
        parent: "tasks/t",
        configId: "p",
        config: { name: "tasks/t/pushNotificationConfigs/p", pushNotificationConfig: { id: "p", url } },
      },
      { id: "p", url },
    ],
    [
      "for JavaScript",
      { name: "tasks/t/pushNotificationConfigs/p", pushNotificationConfig: { id: "p", url } },
      { id: "p", url },
    ],
    [
      "for JavaScript without an id",
      { name: "tasks/t/pushNotificationConfigs/", pushNotificationConfig: { url } },
      { url },
    ],
    ["whose id stands beside them", { configId: "p", config: { pushNotificationConfig: { url } } }, { id: "p", url }],
    ["as the specification has them", { config: { taskId: "t", pushNotificationConfig: { url } } }, { url }],
    ["as JSON-RPC has them", { taskId: "t", pushNotificationConfig: { url } }, { url }],
  ])("E23 come as the SDK %s sends them", (_, body, config) => {
    expect(readCreatePush(body as Record<string, unknown>, "t")).toEqual(set(config));
  });

  it.each<[string, object]>([
    ["pushNotificationConfig", {}],
    ["config.pushNotificationConfig", { config: {} }],
    ["config", { config: "x" }],
    ["parent", { parent: "tasks/other", config: { pushNotificationConfig: { url } } }],
    ["name", { name: "tasks/other/pushNotificationConfigs/p", pushNotificationConfig: { url } }],
    ["taskId", { taskId: "other", pushNotificationConfig: { url } }],
    ["configId", { configId: "q", pushNotificationConfig: { id: "p", url } }],
  ])("E23 refuses what is wrong with %s: %#", (field, body) => {
    expect(() => readCreatePush(body as Record<string, unknown>, "t")).toThrow(
      expect.objectContaining({ code: "invalid_argument", field }),
    );
  });
});
