import type { IncomingMessage, ServerResponse } from "node:http";
import { isOurFault } from "../a2a/protocol/errors/table.js";
import { callerIn, type Gate } from "../a2a/server/gate.js";
import type { JsonRpcBinding } from "../a2a/server/json-rpc/binding.js";
import type { OpenCalls } from "../a2a/server/open-calls.js";
import type { Streams } from "../a2a/server/sse/streams.js";
import type { AgentName } from "../access/agent-name.js";
import { NuncioError } from "../shared/errors.js";
import { sayActiveExtensions } from "./active-extensions.js";
import { agentAt } from "./agent-path.js";
import { type Answer, andClose, failed, write } from "./answer.js";
import { requireJson } from "./content-type.js";
import { credentialsOf } from "./credentials.js";
import { openCall } from "./open-call.js";
import { BODY_TOO_LARGE, readBody } from "./read-body.js";
import { refusalAnswer } from "./refusal.js";
import { askedVersion, lastEventId } from "./request-head.js";

export interface EndpointDeps {
  gate: Gate;
  binding: JsonRpcBinding;
  streams: Streams;
  calls: OpenCalls;
  /** Bytes of a body, at most. */
  bodyLimit: number;
  onFault(error: unknown): void;
}

/** The JSON-RPC endpoint of each agent. */
export class AgentEndpoint {
  readonly #deps: EndpointDeps;

  constructor(deps: EndpointDeps) {
    this.#deps = deps;
  }

  /** Answers a request to the endpoint of an agent, whether there is one or not; false for any other path. */
  serve(request: IncomingMessage, response: ServerResponse): boolean {
    const path = agentAt(request.url as string);
    if (path === null || path.rest !== "") return false;
    this.#answer(path.agent, request, response).catch((error) => this.#fail(error, request, response));
    return true;
  }

  /** The guards, in this order: before the body is read, a request has cost a look at the keys that we remember. */
  async #answer(agent: AgentName, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { gate, binding, streams, calls, bodyLimit } = this.#deps;
    if (calls.closing) return write(response, CLOSING);
    const entry = await gate.admit(agent, "agent:call", credentialsOf(request), request.socket);
    if ("refusal" in entry) return write(response, refusalAnswer(entry.refusal));
    if (request.method !== "POST") return write(response, POST_ONLY);
    requireJson(request.headers);
    const body = await readBody(request, bodyLimit);
    const again = calls.asOfNow(entry);
    const now = again instanceof Promise ? await again : again;
    if ("refusal" in now) return write(response, refusalAnswer(now.refusal));
    sayActiveExtensions(request, response);
    const answered = await binding.handle({
      caller: callerIn(now),
      askedVersion: askedVersion(request),
      body,
      lastEventId: lastEventId(request),
      closed: () => openCall(calls, response, now),
    });
    if (answered.type === "json") write(response, answered);
    else await streams.serve(response, answered.frames);
  }

  #fail(error: unknown, request: IncomingMessage, response: ServerResponse): void {
    // The connection has ended within the request: nobody is left to answer.
    if (request.destroyed && !request.complete) return;
    if (isOurFault(error)) this.#deps.onFault(error);
    if (response.headersSent) return;
    const answer = failed(error);
    // The rest of the body is not read, so that nothing can follow it on this connection.
    const close = NuncioError.is(error) && error.reason === BODY_TOO_LARGE;
    write(response, close ? andClose(answer) : answer);
  }
}

const POST_ONLY: Answer = { status: 405, body: "", headers: { allow: "POST" } };

const CLOSING = andClose(failed(new NuncioError("unavailable", "the server is closing")));
