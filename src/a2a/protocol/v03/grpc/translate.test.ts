import { LegacyA2AService } from "@a2a-js/sdk/compat/v0_3/server/grpc";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NuncioError } from "../../../../shared/errors.js";
import type { JsonObject } from "../../../../shared/json.js";
import { agentCard } from "../../protobuf/card-v03.js";
import * as v03 from "../../protobuf/messages-v03.js";
import { readMessage as decode } from "../../protobuf/read.js";
import { writeMessage as encode } from "../../protobuf/write.js";
import { writeCard } from "./card.js";
import { readMessage } from "./parts.js";
import { readCreatePush, readListPush, readPush, readSend, readTask } from "./requests.js";
import { writeByKind, writePushConfig, writePushConfigs, writeTask } from "./results.js";

const MESSAGE: JsonObject = {
  kind: "message",
  messageId: "m",
  contextId: "c",
  taskId: "t",
  role: "agent",
  parts: [
    { kind: "text", text: "hello", metadata: { lang: "en" } },
    { kind: "text", text: "" },
    { kind: "file", file: { bytes: "aGk=", mimeType: "text/plain", name: "hi.txt" } },
    { kind: "file", file: { uri: "https://f.example/x" } },
    { kind: "data", data: { a: [1, null, { b: true }] } },
    { kind: "data", data: {} },
  ],
  metadata: { "https://x.example": 1 },
  extensions: ["https://x.example"],
};
const STATUS: JsonObject = { state: "input-required", message: MESSAGE, timestamp: "2026-11-30T08:00:00.120Z" };
const ARTIFACT: JsonObject = {
  artifactId: "a",
  name: "n",
  description: "d",
  parts: [{ kind: "data", data: { value: 3 }, metadata: { data_part_compat: true } }],
  metadata: { k: "v" },
  extensions: ["https://x.example"],
};
const TASK: JsonObject = {
  kind: "task",
  id: "t",
  contextId: "c",
  status: STATUS,
  artifacts: [ARTIFACT],
  history: [MESSAGE],
  metadata: { m: null },
};

/** What a client reads of a message of ours, with the kinds put in again that its bytes do not have. */
function read(json: JsonObject): unknown {
  return JSON.parse(JSON.stringify(json), (key, value) => {
    if (Array.isArray(value) && key === "parts") return (readMessage({ parts: value }) as JsonObject).parts;
    if (value?.messageId !== undefined) return { ...value, kind: "message" };
    return value;
  });
}

describe("results of 0.3 as protocol buffers", () => {
  it.each<[string, JsonObject]>([
    ["task", TASK],
    ["message", MESSAGE],
    ["status-update", { kind: "status-update", taskId: "t", contextId: "c", status: STATUS, final: true }],
    [
      "artifact-update",
      { kind: "artifact-update", taskId: "t", contextId: "c", artifact: ARTIFACT, append: true, lastChunk: true },
    ],
  ])("E20 a %s loses nothing on the way", (kind, json) => {
    const { kind: _, ...rest } = json;
    const read1 = read(decode(v03.streamResponse, encode(v03.streamResponse, writeByKind(json)))) as JsonObject;
    expect(read1).toEqual({ [kind]: kind === "message" ? json : rest });
  });

  it("E14 the official SDK reads a task of ours", () => {
    const bytes = encode(v03.sendMessageResponse, writeByKind(TASK));
    expect(LegacyA2AService.sendMessage.responseDeserialize(bytes)).toMatchObject({
      payload: {
        $case: "task",
        value: {
          id: "t",
          contextId: "c",
          status: { state: 6, update: { messageId: "m", role: 2 }, timestamp: "2026-11-30T08:00:00.120Z" },
          artifacts: [
            {
              artifactId: "a",
              name: "n",
              description: "d",
              parts: [{ part: { $case: "data", value: { data: { value: 3 } } } }],
            },
          ],
          history: [
            {
              content: [
                { part: { $case: "text", value: "hello" } },
                { part: { $case: "text", value: "" } },
                {
                  part: {
                    $case: "file",
                    value: { file: { $case: "fileWithBytes", value: Buffer.from("hi") }, mimeType: "text/plain" },
                  },
                },
                { part: { $case: "file", value: { file: { $case: "fileWithUri", value: "https://f.example/x" } } } },
                { part: { $case: "data", value: { data: { a: [1, null, { b: true }] } } } },
                { part: { $case: "data", value: { data: {} } } },
              ],
            },
          ],
          metadata: { m: null },
        },
      },
    });
  });

  it("E14 the official SDK reads the states, and the end of a stream", () => {
    const states = [
      "submitted",
      "working",
      "completed",
      "failed",
      "canceled",
      "input-required",
      "rejected",
      "auth-required",
    ];
    states.forEach((state, at) => {
      const update = { kind: "status-update", taskId: "t", contextId: "c", status: { state }, final: true };
      const bytes = encode(v03.streamResponse, writeByKind(update));
      expect(LegacyA2AService.sendStreamingMessage.responseDeserialize(bytes)).toMatchObject({
        payload: {
          $case: "statusUpdate",
          value: { taskId: "t", contextId: "c", final: true, status: { state: at + 1 } },
        },
      });
    });
  });

  it("E23 push configurations have names", () => {
    const config = {
      id: "p",
      url: "https://h.example",
      token: "t",
      authentication: { schemes: ["Bearer"], credentials: "c" },
    };
    const name = "tasks/t/pushNotificationConfigs/p";
    const one = encode(v03.taskPushConfig, writePushConfig({ taskId: "t", pushNotificationConfig: config }));
    expect(LegacyA2AService.getTaskPushNotificationConfig.responseDeserialize(one)).toEqual({
      name,
      pushNotificationConfig: config,
    });
    const list = encode(v03.pushConfigList, writePushConfigs([{ taskId: "t", pushNotificationConfig: config }]));
    expect(LegacyA2AService.listTaskPushNotificationConfig.responseDeserialize(list)).toMatchObject({
      configs: [{ name }],
    });
  });

  it("E20 a card has its schemes and requirements", () => {
    const card: JsonObject & { skills: JsonObject[] } = {
      protocolVersion: "0.3.0",
      name: "echo",
      description: "d",
      url: "https://u.example",
      preferredTransport: "JSONRPC",
      additionalInterfaces: [{ url: "u:1", transport: "GRPC" }],
      provider: { url: "p", organization: "P" },
      version: "1",
      documentationUrl: "doc",
      capabilities: {
        streaming: true,
        pushNotifications: true,
        extensions: [{ uri: "u", description: "d", required: true, params: { a: 1 } }],
      },
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT", description: "b" },
        key: { type: "apiKey", in: "header", name: "x-key", description: "k" },
        oidc: { type: "openIdConnect", openIdConnectUrl: "https://o.example", description: "o" },
        mtls: { type: "mutualTLS", description: "m" },
        oauth: {
          type: "oauth2",
          description: "f",
          flows: { clientCredentials: { tokenUrl: "t", refreshUrl: "r", scopes: { a: "A" } } },
        },
      },
      security: [{ bearer: [] }, { oidc: ["a"] }, {}],
      defaultInputModes: ["text/plain"],
      defaultOutputModes: ["text/plain"],
      skills: [
        {
          id: "s",
          name: "S",
          description: "d",
          tags: ["t"],
          examples: ["e"],
          inputModes: ["i"],
          outputModes: ["o"],
          security: [{ bearer: [] }],
        },
      ],
      supportsAuthenticatedExtendedCard: true,
      signatures: [{ protected: "p", signature: "s", header: { kid: "k" } }],
    };
    expect(LegacyA2AService.getAgentCard.responseDeserialize(encode(agentCard, writeCard(card)))).toEqual({
      ...card,
      securitySchemes: {
        bearer: {
          scheme: {
            $case: "httpAuthSecurityScheme",
            value: { scheme: "bearer", bearerFormat: "JWT", description: "b" },
          },
        },
        key: {
          scheme: { $case: "apiKeySecurityScheme", value: { location: "header", name: "x-key", description: "k" } },
        },
        oidc: {
          scheme: {
            $case: "openIdConnectSecurityScheme",
            value: { openIdConnectUrl: "https://o.example", description: "o" },
          },
        },
        mtls: { scheme: { $case: "mtlsSecurityScheme", value: { description: "m" } } },
        oauth: {
          scheme: {
            $case: "oauth2SecurityScheme",
            value: {
              description: "f",
              oauth2MetadataUrl: "",
              flows: {
                flow: { $case: "clientCredentials", value: { tokenUrl: "t", refreshUrl: "r", scopes: { a: "A" } } },
              },
            },
          },
        },
      },
      security: [{ schemes: { bearer: { list: [] } } }, { schemes: { oidc: { list: ["a"] } } }, { schemes: {} }],
      skills: [{ ...card.skills[0], security: [{ schemes: { bearer: { list: [] } } }] }],
    });
  });
});

function comesOf(reading: () => unknown): string {
  try {
    reading();
    return "read";
  } catch (error) {
    return NuncioError.is(error) ? error.code : String(error);
  }
}

describe("requests of 0.3 from protocol buffers", () => {
  it("E20 a message comes in as it does in JSON", () => {
    const metadata = { a: 1 };
    const bytes = LegacyA2AService.sendMessage.requestSerialize({
      request: {
        messageId: "m",
        contextId: "c",
        taskId: "t",
        role: 1,
        content: [
          { part: { $case: "text", value: "hello" } },
          {
            part: {
              $case: "file",
              value: { file: { $case: "fileWithBytes", value: Buffer.from("hi") }, mimeType: "text/plain" },
            },
          },
          {
            part: {
              $case: "file",
              value: { file: { $case: "fileWithUri", value: "https://f.example" }, mimeType: "" },
            },
          },
          { part: { $case: "data", value: { data: { n: 1 } } } },
        ],
        metadata,
        extensions: ["https://x.example"],
      },
      configuration: {
        acceptedOutputModes: ["text/plain"],
        historyLength: 3,
        blocking: true,
        pushNotification: {
          id: "p",
          url: "https://h.example",
          token: "t",
          authentication: { schemes: ["Bearer"], credentials: "c" },
        },
      },
      metadata,
    });
    expect(readSend(decode(v03.sendMessageRequest, bytes))).toEqual({
      message: {
        kind: "message",
        messageId: "m",
        contextId: "c",
        taskId: "t",
        role: "user",
        parts: [
          { kind: "text", text: "hello" },
          { kind: "file", file: { bytes: "aGk=", mimeType: "text/plain" } },
          { kind: "file", file: { uri: "https://f.example" } },
          { kind: "data", data: { n: 1 } },
        ],
        metadata,
        extensions: ["https://x.example"],
      },
      configuration: {
        acceptedOutputModes: ["text/plain"],
        historyLength: 3,
        blocking: true,
        pushNotificationConfig: {
          id: "p",
          url: "https://h.example",
          token: "t",
          authentication: { schemes: ["Bearer"], credentials: "c" },
        },
      },
      metadata,
    });
  });

  it("E20 refuses a part without content, and leaves a missing message to the codec", () => {
    expect(() => readSend({ message: { parts: [{ text: "a" }, {}] } })).toThrow(
      expect.objectContaining({ code: "invalid_argument", field: "message.parts[1]" }),
    );
    expect(readSend({})).toEqual({});
  });

  it("E20 names become ids", () => {
    expect(readTask({ name: "tasks/t1", historyLength: 2 })).toEqual({ id: "t1", historyLength: 2 });
    expect(readListPush({ parent: "tasks/t1", pageSize: 3 })).toEqual({ id: "t1" });
    expect(readPush({ name: "tasks/t1/pushNotificationConfigs/p1" })).toEqual({
      id: "t1",
      pushNotificationConfigId: "p1",
    });
    const url = "https://h.example";
    expect(readCreatePush({ parent: "tasks/t1", configId: "p1", config: { pushNotificationConfig: { url } } })).toEqual(
      {
        taskId: "t1",
        pushNotificationConfig: { url, id: "p1" },
      },
    );
    expect(
      readCreatePush({ parent: "tasks/t1", config: { name: "made up", pushNotificationConfig: { url } } }),
    ).toEqual({
      taskId: "t1",
      pushNotificationConfig: { url },
    });
  });

  it.each<[string, () => unknown, string]>([
    ["no name", () => readTask({}), "name"],
    ["another resource", () => readTask({ name: "task/t" }), "name"],
    ["a name that goes on", () => readTask({ name: "tasks/t/x" }), "name"],
    ["no id", () => readListPush({ parent: "tasks/" }), "parent"],
    ["a task for a configuration", () => readPush({ name: "tasks/t" }), "name"],
    ["no configuration", () => readCreatePush({ parent: "tasks/t" }), "config.pushNotificationConfig"],
    [
      "two ids",
      () => readCreatePush({ parent: "tasks/t", configId: "a", config: { pushNotificationConfig: { id: "b" } } }),
      "configId",
    ],
  ])("R5 refuses %s", (_what, reading, field) => {
    expect(reading).toThrow(expect.objectContaining({ code: "invalid_argument", field }));
  });

  it("R5 whatever the bytes, a request is read or refused", () => {
    const tables: [typeof v03.task, (json: JsonObject) => unknown][] = [
      [v03.sendMessageRequest, readSend],
      [v03.getTaskRequest, readTask],
      [v03.createPushConfigRequest, readCreatePush],
      [v03.nameRequest, readPush],
      [v03.listPushConfigsRequest, readListPush],
    ];
    fc.assert(
      fc.property(fc.constantFrom(...tables), fc.uint8Array({ maxLength: 60 }), ([table, reading], bytes) => {
        expect(comesOf(() => reading(decode(table, bytes)))).toMatch(/^(read|invalid_argument)$/);
      }),
      { numRuns: 1000 },
    );
  });

  it("E20 whatever is in a message, it comes out of its bytes as it went in", () => {
    const metadata = fc.dictionary(
      fc.string().filter((key) => key !== "__proto__"),
      fc.oneof(fc.string(), fc.boolean()),
      {
        noNullPrototype: true,
      },
    );
    const text = fc.string({ unit: "grapheme" });
    const part = fc.oneof(
      fc.record({ kind: fc.constant("text"), text }),
      fc.record({ kind: fc.constant("text"), text, metadata }),
      fc.record({ kind: fc.constant("data"), data: metadata }),
      fc.record({
        kind: fc.constant("file"),
        file: fc.record({ bytes: fc.uint8Array().map((bytes) => Buffer.from(bytes).toString("base64")) }),
      }),
      fc.record({ kind: fc.constant("file"), file: fc.record({ uri: text }) }),
    );
    const message = fc.record({
      kind: fc.constant("message"),
      messageId: fc.uuid(),
      role: fc.constantFrom("user", "agent"),
      parts: fc.array(part, { minLength: 1 }),
    });
    fc.assert(
      fc.property(message, (json) => {
        const bytes = encode(v03.sendMessageResponse, writeByKind(json));
        expect(readSend(decode(v03.sendMessageResponse, bytes)).message).toEqual(json);
      }),
      { numRuns: 200 },
    );
  });

  it("a task is written without the kinds of its messages", () => {
    expect(decode(v03.task, encode(v03.task, writeTask(TASK)))).not.toHaveProperty("kind");
  });
});
