import { newId } from "../../../shared/ids.js";
import type { JsonObject } from "../../../shared/json.js";
import type { ProtocolVersion } from "../../protocol/version.js";
import { CALL_LIMITS, MAX_EVENT_LENGTH, STREAM_LIMITS, WAITING_LIMITS } from "../bounds.js";
import { invalidAnswer } from "../errors.js";
import { eventJson, isEventStream, isObject, jsonOf, throwComplaint } from "./answer.js";
import type { Binding, CallName, CallOptions, StreamName } from "./binding.js";
import { eventsOf } from "./event-stream.js";
import { ask, type Reach } from "./reach.js";

const METHODS: Record<ProtocolVersion, Record<CallName | StreamName, string>> = {
  "1.0": {
    send: "SendMessage",
    stream: "SendStreamingMessage",
    get: "GetTask",
    cancel: "CancelTask",
    subscribe: "SubscribeToTask",
  },
  "0.3": {
    send: "message/send",
    stream: "message/stream",
    get: "tasks/get",
    cancel: "tasks/cancel",
    subscribe: "tasks/resubscribe",
  },
};

/** A2A 1.0, 9; 0.3, 3.2.1. */
export class JsonRpcBinding implements Binding {
  readonly #url: string;
  readonly #version: ProtocolVersion;
  readonly #reach: Reach;

  constructor(url: string, version: ProtocolVersion, reach: Reach) {
    this.#url = url;
    this.#version = version;
    this.#reach = reach;
  }

  async call(name: CallName, params: JsonObject, { signal, waits }: CallOptions): Promise<unknown> {
    const id = newId();
    const limits = waits === true ? WAITING_LIMITS : CALL_LIMITS;
    const response = await ask(this.#reach, { ...this.#request(id, name, params, JSON_TYPE), limits, signal });
    return resultIn(await jsonOf(response), id, response);
  }

  async stream(name: StreamName, params: JsonObject, { signal }: CallOptions): Promise<AsyncIterable<unknown>> {
    const id = newId();
    const request = this.#request(id, name, params, "text/event-stream, application/json");
    const response = await ask(this.#reach, { ...request, limits: STREAM_LIMITS, signal });
    if (response.ok && isEventStream(response) && response.body !== null) return results(response, id);
    // An error, or an agent that has all to say at once.
    const only = resultIn(await jsonOf(response), id, response);
    return (async function* () {
      yield only;
    })();
  }

  #request(id: string, name: CallName | StreamName, params: JsonObject, accept: string) {
    return {
      method: "POST" as const,
      url: this.#url,
      headers: { "content-type": JSON_TYPE, accept, "a2a-version": this.#version },
      body: JSON.stringify({ jsonrpc: "2.0", id, method: METHODS[this.#version][name], params }),
    };
  }
}

const JSON_TYPE = "application/json";

async function* results(response: Response, id: string): AsyncGenerator<unknown, void> {
  for await (const data of eventsOf(response.body as ReadableStream<Uint8Array>, MAX_EVENT_LENGTH)) {
    yield resultIn(eventJson(data), id, response);
  }
}

/** The result in a response of JSON-RPC; throws its error. */
function resultIn(document: unknown, id: string, response: Response): unknown {
  if (!isObject(document)) {
    throwComplaint(response, undefined, true);
    throw invalidAnswer("it is no JSON-RPC response");
  }
  throwComplaint(response, document.error, true);
  if (document.id !== id) throw invalidAnswer("its id is not that of the request");
  if (!("result" in document)) throw invalidAnswer("it has no result");
  return document.result;
}
