import type { Ending } from "../../../shared/ending.js";
import * as check from "../../protocol/check.js";
import { CODECS } from "../../protocol/codec.js";
import { EnvelopeError, readEnvelope } from "../../protocol/envelope.js";
import type { JsonRpcId } from "../../protocol/errors/json-rpc.js";
import { isOurFault } from "../../protocol/errors/table.js";
import { requestedVersion } from "../../protocol/version.js";
import type { Caller } from "../caller.js";
import { lastSeenOf } from "../last-event-id.js";
import { OPERATIONS } from "../operations/index.js";
import type { OperationDeps } from "../operations/operation.js";
import { failureAnswer, type JsonRpcAnswer, resultAnswer, streamFraming } from "./answer.js";
import { operationOf } from "./methods.js";

export interface JsonRpcRequest {
  caller: Caller;
  /** What the request says of its version, if anything. */
  askedVersion: string | undefined;
  body: Buffer;
  /** The header `Last-Event-ID`. */
  lastEventId: string | undefined;
  /** Comes when nobody waits for the answer any more. Made for a call that waits, once. */
  closed(): Ending;
}

/** The JSON-RPC binding (A2A 1.0, 9; 0.3, 3.2.1): one request body in, one answer or stream out. */
export class JsonRpcBinding {
  readonly #deps: OperationDeps;

  constructor(deps: OperationDeps) {
    this.#deps = deps;
  }

  async handle(request: JsonRpcRequest): Promise<JsonRpcAnswer> {
    let id: JsonRpcId = null;
    try {
      const envelope = readEnvelope(request.body);
      id = envelope.id;
      const version = requestedVersion(request.askedVersion, this.#deps.versions);
      const operation = operationOf(envelope.method, version);
      const params = check.optionalObject(envelope.params, "params") ?? {};
      const { caller, lastEventId } = request;
      const result = await OPERATIONS[operation](
        {
          ...{ caller, version, codec: CODECS[version], params },
          lastSeen: operation === "subscribe" ? lastSeenOf(lastEventId) : undefined,
          closed: () => request.closed(),
        },
        this.#deps,
      );
      if (result.type === "json") return resultAnswer(id, result.text);
      return { type: "stream", frames: result.pieces(streamFraming(id)) };
    } catch (error) {
      if (isOurFault(error)) this.#deps.onFault(error);
      return failureAnswer(error, error instanceof EnvelopeError ? error.id : id);
    }
  }
}
