import type { IncomingMessage, ServerResponse } from "node:http";
import { isOurFault } from "../a2a/protocol/errors.js";
import type { JsonRpcBinding } from "../a2a/server/json-rpc.js";
import type { Streams } from "../a2a/server/stream.js";
import type { Authenticated, Authentication, Authenticator } from "../access/authenticate.js";
import type { PersonaRegistry } from "../personas/registry.js";
import { NuncioError } from "../shared/errors.js";
import { admit } from "./admit.js";
import { type AgentName, agentAt } from "./agent-path.js";
import { type Answer, failed, write } from "./answer.js";
import { requireJson } from "./content-type.js";
import type { OpenCalls } from "./open-calls.js";
import { BODY_TOO_LARGE, readBody } from "./read-body.js";

export interface EndpointDeps {
  personas: PersonaRegistry;
  authenticator: Authenticator;
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
    const agent = agentAt(request.url as string);
    if (agent === null) return false;
    this.#answer(agent, request, response).catch((error) => this.#fail(error, request, response));
    return true;
  }

  /** The guards, in this order: before the body is read, a request has cost a look at the keys that we remember. */
  async #answer(agent: AgentName, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { authenticator, personas, binding, streams, calls, bodyLimit } = this.#deps;
    if (calls.closing) return write(response, CLOSING);
    const { headers } = request;
    const authentication = await authenticator.authenticate(headers.authorization, request.socket);
    const admitted = admit(personas, agent, "agent:call", authentication);
    if ("refusal" in admitted) return write(response, admitted.refusal);
    if (request.method !== "POST") return write(response, POST_ONLY);
    requireJson(headers);
    const { persona } = admitted;
    if (!isAuthenticated(authentication)) throw new Error("a call was allowed to nobody");
    const answered = await binding.handle({
      caller: { persona, principal: authentication.principal },
      askedVersion: askedVersion(request),
      body: await readBody(request, bodyLimit),
      lastEventId: firstOf(headers["last-event-id"]),
      closed: () => calls.open(response, authentication),
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

/** The connection takes no further requests, whatever comes of this one. */
const andClose = (answer: Answer): Answer => ({ ...answer, headers: { ...answer.headers, connection: "close" } });

const CLOSING = andClose(failed(new NuncioError("unavailable", "the server is closing")));

const isAuthenticated = (authentication: Authentication): authentication is Authenticated =>
  authentication.principal !== null;

const firstOf = (header: string | string[] | undefined): string | undefined =>
  typeof header === "string" ? header : header?.[0];

/** The header, or the query parameter of the same name (A2A 1.0, 3.6.1). */
function askedVersion(request: IncomingMessage): string | undefined {
  const header = request.headers["a2a-version"];
  if (header !== undefined) return typeof header === "string" ? header : header.join(",");
  const target = request.url as string;
  const query = target.indexOf("?");
  if (query < 0) return undefined;
  const asked = new URLSearchParams(target.slice(query)).getAll("A2A-Version");
  return asked.length === 0 ? undefined : asked.join(",");
}
