import type { JsonObject, JsonValue } from "../../../shared/json.js";
import { agentCard as cardV1 } from "../../protocol/protobuf/card-v1.js";
import { agentCard as cardV03 } from "../../protocol/protobuf/card-v03.js";
import * as v1 from "../../protocol/protobuf/messages-v1.js";
import * as v03 from "../../protocol/protobuf/messages-v03.js";
import type { MessageTable } from "../../protocol/protobuf/table.js";
import { writeCard } from "../../protocol/v03/grpc/card.js";
import * as requests from "../../protocol/v03/grpc/requests.js";
import * as results from "../../protocol/v03/grpc/results.js";
import type { ProtocolVersion } from "../../protocol/version.js";
import type { OperationName } from "../operations/operation.js";

/** What a method of a service does: from its bytes to the params of an operation, and from the result to bytes. */
export interface Method {
  version: ProtocolVersion;
  operation: OperationName;
  /** `/package.Service/Method` */
  path: string;
  streams: boolean;
  request: MessageTable;
  response: MessageTable;
  /** From the JSON of the request's table. */
  read(request: JsonObject): JsonObject;
  /** To the JSON of the response's table. */
  write(result: JsonValue): JsonObject;
}

type Row = [OperationName, MessageTable, MessageTable, Method["read"]?, Method["write"]?];

const same = (json: JsonValue): JsonObject => json as JsonObject;
const nothing = (): JsonObject => ({});

/** A2A 1.0, 10.3. The JSON of its operations is the ProtoJSON of its messages. */
const V1: Record<string, Row> = {
  SendMessage: ["send", v1.sendMessageRequest, v1.sendMessageResponse],
  SendStreamingMessage: ["stream", v1.sendMessageRequest, v1.streamResponse],
  GetTask: ["get", v1.getTaskRequest, v1.task],
  ListTasks: ["list", v1.listTasksRequest, v1.taskList],
  CancelTask: ["cancel", v1.cancelTaskRequest, v1.task],
  SubscribeToTask: ["subscribe", v1.subscribeToTaskRequest, v1.streamResponse],
  CreateTaskPushNotificationConfig: ["createPush", v1.pushConfig, v1.pushConfig],
  GetTaskPushNotificationConfig: ["getPush", v1.pushConfigRequest, v1.pushConfig],
  ListTaskPushNotificationConfigs: ["listPush", v1.listPushConfigsRequest, v1.pushConfigList],
  DeleteTaskPushNotificationConfig: ["deletePush", v1.pushConfigRequest, v1.empty, same, nothing],
  GetExtendedAgentCard: ["extendedCard", v1.extendedCardRequest, cardV1],
};

/** A2A 0.3, 3.5.2 and specification/grpc/a2a.proto, which has no list. */
const V03: Record<string, Row> = {
  SendMessage: [
    "send",
    v03.sendMessageRequest,
    v03.sendMessageResponse,
    requests.readSend,
    (sent) => results.writeByKind(same(sent)),
  ],
  SendStreamingMessage: [
    "stream",
    v03.sendMessageRequest,
    v03.streamResponse,
    requests.readSend,
    (event) => results.writeByKind(same(event)),
  ],
  GetTask: ["get", v03.getTaskRequest, v03.task, requests.readTask, (task) => results.writeTask(same(task))],
  CancelTask: ["cancel", v03.nameRequest, v03.task, requests.readTask, (task) => results.writeTask(same(task))],
  TaskSubscription: [
    "subscribe",
    v03.nameRequest,
    v03.streamResponse,
    requests.readTask,
    (event) => results.writeByKind(same(event)),
  ],
  CreateTaskPushNotificationConfig: [
    "createPush",
    v03.createPushConfigRequest,
    v03.taskPushConfig,
    requests.readCreatePush,
    (config) => results.writePushConfig(same(config)),
  ],
  GetTaskPushNotificationConfig: [
    "getPush",
    v03.nameRequest,
    v03.taskPushConfig,
    requests.readPush,
    (config) => results.writePushConfig(same(config)),
  ],
  ListTaskPushNotificationConfig: [
    "listPush",
    v03.listPushConfigsRequest,
    v03.pushConfigList,
    requests.readListPush,
    results.writePushConfigs,
  ],
  DeleteTaskPushNotificationConfig: ["deletePush", v03.nameRequest, v03.empty, requests.readPush, nothing],
  GetAgentCard: ["extendedCard", v03.empty, cardV03, same, (card) => writeCard(same(card))],
};

const SERVICES: Record<ProtocolVersion, { name: string; rows: Record<string, Row> }> = {
  "1.0": { name: "lf.a2a.v1.A2AService", rows: V1 },
  "0.3": { name: "a2a.v1.A2AService", rows: V03 },
};

export const methodsOf = (version: ProtocolVersion): Method[] =>
  Object.entries(SERVICES[version].rows).map(([name, [operation, request, response, read = same, write = same]]) => ({
    version,
    operation,
    path: `/${SERVICES[version].name}/${name}`,
    streams: operation === "stream" || operation === "subscribe",
    ...{ request, response, read, write },
  }));
