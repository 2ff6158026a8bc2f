import type { IncomingMessage, ServerResponse } from "node:http";
import { type Admitted, callerIn, type Entry, type Gate, type Refusal } from "../a2a/server/gate.js";
import type { OpenCalls } from "../a2a/server/open-calls.js";
import { closing, refusalError } from "../a2a/server/refusals.js";
import type { RestBinding, RestRequest } from "../a2a/server/rest/binding.js";
import type { Streams } from "../a2a/server/sse/streams.js";
import type { AgentName } from "../access/agent-name.js";
import { NuncioError } from "../shared/errors.js";
import { sayActiveExtensions } from "./active-extensions.js";
import { agentAt } from "./agent-path.js";
import { type Answer, andClose, write } from "./answer.js";
import { requireJson } from "./content-type.js";
import { credentialsOf } from "./credentials.js";
import { openCall } from "./open-call.js";
import { BODY_TOO_LARGE, readBody } from "./read-body.js";
import { refusalAnswer } from "./refusal.js";
import { askedVersion, lastEventId, queryOf } from "./request-head.js";

export interface RestEndpointDeps {
  gate: Gate;
  binding: RestBinding;
  streams: Streams;
  calls: OpenCalls;
  /** Bytes of a body, at most. */
  bodyLimit: number;
}

/** Everything below the endpoint of an agent, whether there is something or not: the HTTP+JSON bindings. */
export class RestEndpoint {
  readonly #deps: RestEndpointDeps;

  constructor(deps: RestEndpointDeps) {
    this.#deps = deps;
  }

  /** Answers a request to a path below the endpoint of an agent, whether there is one or not; false for any other path. */
  serve(request: IncomingMessage, response: ServerResponse): boolean {
    const target = request.url as string;
    const path = agentAt(target);
    if (path === null || path.rest === "") return false;
    const asked: RestRequest = {
      method: request.method as string,
      path: path.rest,
      query: queryOf(target),
      askedVersion: askedVersion(request),
      lastEventId: lastEventId(request),
    };
    this.#answer(path.agent, asked, request, response).catch((error) => {
      // The connection has ended within the request: nobody is left to answer.
      if (request.destroyed && !request.complete) return;
      const answer = this.#deps.binding.failure(asked, error);
      if (!response.headersSent) write(response, answer);
    });
    return true;
  }

  /** The guards, in this order: nothing that depends on the path or the method is told to those who are not let in. */
  async #answer(
    agent: AgentName,
    asked: RestRequest,
    request: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> {
    const { gate, binding, streams, calls, bodyLimit } = this.#deps;
    if (calls.closing) return write(response, andClose(binding.failure(asked, closing())));
    const entry = await gate.admit(agent, "agent:call", credentialsOf(request), request.socket);
    if ("refusal" in entry) return write(response, this.#refusal(asked, entry.refusal));
    let now = entry as Entry;
    let tooLarge = false;
    const answered = await binding.handle(asked, {
      async body() {
        if (isEmpty(request)) return NOTHING;
        requireJson(request.headers);
        const body = await readBody(request, bodyLimit).catch((error: unknown) => {
          tooLarge = NuncioError.is(error) && error.reason === BODY_TOO_LARGE;
          throw error;
        });
        now = await calls.asOfNow(entry);
        return body;
      },
      caller: () => callerIn(letIn(now)),
      closed: () => openCall(calls, response, letIn(now)),
    });
    if (request.destroyed && !request.complete) return;
    if ("refusal" in now) return write(response, this.#refusal(asked, now.refusal));
    sayActiveExtensions(request, response);
    if (answered.type === "stream") await streams.serve(response, answered.frames);
    // The rest of the body is not read, so that nothing can follow it on this connection.
    else write(response, tooLarge ? andClose(answered) : answered);
  }

  /** An agent that is not there is not there byte for byte; any other refusal is an error in the words of the binding. */
  #refusal(asked: RestRequest, refusal: Refusal): Answer {
    const answer = refusalAnswer(refusal);
    if (refusal.why === "absent") return answer;
    return { ...this.#deps.binding.failure(asked, refusalError(refusal)), headers: answer.headers };
  }
}

const NOTHING = Buffer.alloc(0);

/** Of somebody who was let in, and may not be any more. */
function letIn(entry: Entry): Admitted {
  if ("refusal" in entry) throw refusalError(entry.refusal);
  return entry;
}

/** Requests that cancel or subscribe mostly have no body, and may then say nothing of its type. */
const isEmpty = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] === undefined && (headers["content-length"] ?? "0") === "0";
