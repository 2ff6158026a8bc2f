import type { JsonObject, JsonValue } from "../../../shared/json.js";
import { CODECS, type Codec } from "../../protocol/codec.js";
import { type RestFailure, toRestFailure, toRestFailureV03 } from "../../protocol/errors/rest.js";
import type { StatusTable } from "../../protocol/errors/status-table.js";
import type { Params } from "../../protocol/read-request.js";
import { writeCard } from "../../protocol/v03/rest/card.js";
import { readCreatePush, readSend, readTask, spellingOf } from "../../protocol/v03/rest/requests.js";
import { wrapByKind, writeByKind, writePush, writePushes, writeTask } from "../../protocol/v03/rest/results.js";
import type { ProtocolVersion } from "../../protocol/version.js";
import type { OperationName } from "../operations/operation.js";
import { paramsV1 } from "./params.js";
import type { Resource } from "./routes.js";

/** A request as it came, before it is one of an operation. */
export interface Given {
  resource: Resource;
  tenant?: string | undefined;
  query: Params;
  body: Params;
}

/** How a version is spoken over REST. */
export interface Dialect {
  version: ProtocolVersion;
  codec: Codec;
  /** Of answers that are JSON. */
  mediaType: string;
  failure(error: unknown): RestFailure;
  params(operation: OperationName, given: Given): Params;
  /** From the result as the codec writes it to the one on the wire; null where an answer says nothing. */
  result(operation: OperationName, given: Given, text: string): string | null;
}

/** The results of 1.0 are on the wire as they are (11.4). */
export const dialectV1 = (statuses: StatusTable): Dialect => ({
  version: "1.0",
  codec: CODECS["1.0"],
  mediaType: statuses === "1.0.1" ? "application/a2a+json" : JSON_TYPE,
  failure: (error) => toRestFailure(error, statuses),
  params: paramsV1,
  result: (_operation, _given, text) => text,
});

const JSON_TYPE = "application/json; charset=utf-8";

export const dialectV03: Dialect = {
  version: "0.3",
  codec: CODECS["0.3"],
  mediaType: JSON_TYPE,
  failure: toRestFailureV03,
  params(operation, { resource: { taskId = "", configId }, query, body }) {
    switch (operation) {
      case "send":
      case "stream":
        return readSend(body);
      case "createPush":
        return readCreatePush(body, taskId);
      case "getPush":
      case "deletePush":
        return { id: taskId, pushNotificationConfigId: configId };
      case "list":
      case "extendedCard":
        return {};
      default:
        return { ...query, ...readTask(body, taskId) };
    }
  },
  result(operation, { body }, text) {
    if (operation === "deletePush") return null;
    const result = JSON.parse(text) as JsonValue;
    if (operation === "list") return JSON.stringify((result as JsonObject[]).map(writeTask));
    if (operation === "listPush") return JSON.stringify(writePushes(result));
    return JSON.stringify(written(operation, body, result as JsonObject));
  },
};

/** Whoever writes the JSON of the specification is answered in it; without a body everybody understands ProtoJSON. */
function written(operation: OperationName, body: Params, result: JsonObject): JsonObject {
  switch (operation) {
    case "send":
    case "stream":
      return spellingOf(body) === "json" ? wrapByKind(result) : writeByKind(result);
    case "subscribe":
      return writeByKind(result);
    case "extendedCard":
      return writeCard(result);
    case "createPush":
    case "getPush":
      return writePush(result);
    default:
      return writeTask(result);
  }
}
