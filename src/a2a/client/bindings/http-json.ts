import type { JsonObject } from "../../../shared/json.js";
import { CALL_LIMITS, MAX_EVENT_LENGTH, STREAM_LIMITS, WAITING_LIMITS } from "../bounds.js";
import { invalidAnswer } from "../errors.js";
import { eventJson, isEventStream, isObject, jsonOf, throwComplaint } from "./answer.js";
import type { Binding, CallName, CallOptions, StreamName } from "./binding.js";
import { eventsOf } from "./event-stream.js";
import { ask, type Reach } from "./reach.js";

/** A2A 1.0, 11. */
export class HttpJsonBinding implements Binding {
  readonly #url: string;
  readonly #reach: Reach;

  constructor(url: string, reach: Reach) {
    this.#url = url;
    this.#reach = reach;
  }

  async call(name: CallName, params: JsonObject, { signal, waits }: CallOptions): Promise<unknown> {
    const limits = waits === true ? WAITING_LIMITS : CALL_LIMITS;
    const response = await ask(this.#reach, { ...this.#request(name, params, JSON_TYPES), limits, signal });
    return resultIn(await jsonOf(response), response);
  }

  async stream(name: StreamName, params: JsonObject, { signal }: CallOptions): Promise<AsyncIterable<unknown>> {
    const request = this.#request(name, params, `text/event-stream, ${JSON_TYPES}`);
    const response = await ask(this.#reach, { ...request, limits: STREAM_LIMITS, signal });
    if (response.ok && isEventStream(response) && response.body !== null) return results(response);
    const only = resultIn(await jsonOf(response), response);
    return (async function* () {
      yield only;
    })();
  }

  /** Path, query or body: what the method of HTTP has a place for (A2A 1.0, 11.3 and 11.5). */
  #request(name: CallName | StreamName, { tenant, id, ...params }: JsonObject, accept: string) {
    const headers = { accept, "a2a-version": "1.0" };
    const task = `/tasks/${encodeURIComponent(String(id))}`;
    const url = new URL(this.#url);
    url.pathname = url.pathname.replace(/\/+$/, "");
    if (tenant !== undefined) url.pathname += `/${encodeURIComponent(String(tenant))}`;
    if (name === "get") {
      url.pathname += task;
      for (const [key, value] of Object.entries(params)) url.searchParams.set(key, String(value));
      return { method: "GET" as const, url: url.href, headers };
    }
    url.pathname += {
      send: "/message:send",
      stream: "/message:stream",
      cancel: `${task}:cancel`,
      subscribe: `${task}:subscribe`,
    }[name];
    return {
      method: "POST" as const,
      url: url.href,
      // Every release of the binding takes this type; `application/a2a+json` came with 1.0.1.
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(params),
    };
  }
}

const JSON_TYPES = "application/a2a+json, application/json";

async function* results(response: Response): AsyncGenerator<unknown, void> {
  for await (const data of eventsOf(response.body as ReadableStream<Uint8Array>, MAX_EVENT_LENGTH)) {
    yield resultIn(eventJson(data), response);
  }
}

function resultIn(document: unknown, response: Response): unknown {
  throwComplaint(response, isObject(document) ? document.error : undefined, false);
  if (!isObject(document)) throw invalidAnswer("it is no JSON object");
  return document;
}
