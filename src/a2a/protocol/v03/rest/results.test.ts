import { expect, it } from "vitest";
import type { JsonObject } from "../../../../shared/json.js";
import { STATES_V1, standingsOf, stateV03 } from "../../states.js";
import { writeCard } from "./card.js";
import { wrapByKind, writeByKind, writePush, writeTask } from "./results.js";

const MESSAGE: JsonObject = {
  kind: "message",
  messageId: "m",
  contextId: "c",
  taskId: "t",
  role: "agent",
  parts: [
    { kind: "text", text: "hello", metadata: { lang: "en" } },
    { kind: "data", data: { value: 3 }, metadata: { data_part_compat: true } },
    { kind: "file", file: { bytes: "aGk=", mimeType: "text/plain", name: "hi.txt" } },
    { kind: "file", file: { uri: "https://f.example" } },
  ],
  metadata: { a: 1 },
  referenceTaskIds: ["r"],
};
const PROTO_MESSAGE = {
  messageId: "m",
  contextId: "c",
  taskId: "t",
  role: "ROLE_AGENT",
  content: [
    { text: "hello", metadata: { lang: "en" } },
    { data: { data: { value: 3 } }, metadata: { data_part_compat: true } },
    { file: { fileWithBytes: "aGk=", mimeType: "text/plain", name: "hi.txt" } },
    { file: { fileWithUri: "https://f.example" } },
  ],
  metadata: { a: 1 },
};
const STATUS: JsonObject = { state: "input-required", message: MESSAGE, timestamp: "2026-11-30T08:00:00.120Z" };
const PROTO_STATUS = {
  state: "TASK_STATE_INPUT_REQUIRED",
  message: PROTO_MESSAGE,
  timestamp: "2026-11-30T08:00:00.120Z",
};
const ARTIFACT: JsonObject = { artifactId: "a", name: "n", parts: [{ kind: "text", text: "hello" }] };
const PROTO_ARTIFACT = { artifactId: "a", name: "n", parts: [{ text: "hello" }] };
const TASK: JsonObject = {
  kind: "task",
  id: "t",
  contextId: "c",
  status: STATUS,
  artifacts: [ARTIFACT],
  history: [MESSAGE],
};
const PROTO_TASK = {
  id: "t",
  contextId: "c",
  status: PROTO_STATUS,
  artifacts: [PROTO_ARTIFACT],
  history: [PROTO_MESSAGE],
};

it.each<[JsonObject, object]>([
  [TASK, { task: PROTO_TASK }],
  [MESSAGE, { message: PROTO_MESSAGE }],
  [
    { kind: "status-update", taskId: "t", contextId: "c", status: STATUS, final: true },
    { statusUpdate: { taskId: "t", contextId: "c", status: PROTO_STATUS, final: true } },
  ],
  [
    { kind: "artifact-update", taskId: "t", contextId: "c", artifact: ARTIFACT, append: false, lastChunk: true },
    { artifactUpdate: { taskId: "t", contextId: "c", artifact: PROTO_ARTIFACT, append: false, lastChunk: true } },
  ],
])("E8 a result of 0.3 is written with the fields of its protocol buffers and no other: %#", (json, proto) => {
  expect(writeByKind(json)).toEqual(proto);
  expect(wrapByKind(json)).toEqual({ [Object.keys(proto)[0] as string]: json });
});

it("E8 every state has its name in the protocol buffers of 0.3", () => {
  const written = STATES_V1.map((state) => {
    const standing = standingsOf(state)[0] as Parameters<typeof stateV03>[0];
    const task: JsonObject = { id: "t", contextId: "c", status: { state: stateV03(standing), timestamp: "" } };
    return (writeTask(task).status as JsonObject).state;
  });
  // cspell:disable-next-line
  expect(written).toEqual(STATES_V1.map((state) => state.replace("CANCELED", "CANCELLED")));
});

it("E23 a push configuration has a name", () => {
  const config = { id: "p", url: "https://h.example" };
  expect(writePush({ taskId: "t", pushNotificationConfig: config })).toEqual({
    name: "tasks/t/pushNotificationConfigs/p",
    pushNotificationConfig: config,
  });
});

it("E20 the security schemes of the extended card can be read by both SDKs", () => {
  const card = writeCard({
    name: "n",
    securitySchemes: {
      bearer: { type: "http", scheme: "bearer" },
      key: { type: "apiKey", in: "header", name: "x-key" },
      oidc: { type: "openIdConnect", openIdConnectUrl: "https://o.example" },
      oauth: { type: "oauth2", flows: {} },
      mtls: { type: "mutualTLS" },
    },
  });
  expect(card).toEqual({
    name: "n",
    securitySchemes: {
      bearer: { type: "http", scheme: "bearer", httpAuthSecurityScheme: { scheme: "bearer" } },
      key: {
        type: "apiKey",
        in: "header",
        name: "x-key",
        apiKeySecurityScheme: { location: "header", name: "x-key" },
      },
      oidc: {
        type: "openIdConnect",
        openIdConnectUrl: "https://o.example",
        openIdConnectSecurityScheme: { openIdConnectUrl: "https://o.example" },
      },
      oauth: { type: "oauth2", flows: {}, oauth2SecurityScheme: { flows: {} } },
      mtls: { type: "mutualTLS", mtlsSecurityScheme: {} },
    },
  });
});
