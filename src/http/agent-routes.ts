import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type ProtocolVersion, requestedVersion } from "../a2a/protocol/version.js";
import type { JsonRpcBinding } from "../a2a/server/json-rpc.js";
import type { Streams } from "../a2a/server/stream.js";
import type { Authenticated, Authenticator } from "../access/authenticate.js";
import type { Persona } from "../personas/persona.js";
import type { PersonaRegistry } from "../personas/registry.js";
import { admit, isAuthenticated, sendFailure } from "./admit.js";
import { type AgentParams, agentOf, ENDPOINTS } from "./agent-params.js";
import { requireJson } from "./content-type.js";
import type { OpenCalls } from "./open-calls.js";

declare module "fastify" {
  interface FastifyRequest {
    /** Set by the guards of an agent's endpoint. */
    call: AgentCall | null;
  }
}

interface AgentCall {
  persona: Persona;
  authentication: Authenticated;
  version: ProtocolVersion;
}

export interface AgentDeps {
  personas: PersonaRegistry;
  authenticator: Authenticator;
  binding: JsonRpcBinding;
  streams: Streams;
  calls: OpenCalls;
  versions: readonly ProtocolVersion[];
  onFault(error: unknown): void;
}

/** The JSON-RPC endpoint of each agent. */
export function agentRoutes(app: FastifyInstance, deps: AgentDeps): void {
  app.decorateRequest("call", null);
  for (const endpoint of ENDPOINTS) {
    app.all<{ Params: AgentParams }>(
      endpoint,
      { onRequest: (request, reply) => guard(deps, request, reply) },
      (request, reply) => answer(deps, request, reply),
    );
  }
}

/** What is checked before the body is read: credential, agent, method, version, content type. */
async function guard(
  deps: AgentDeps,
  request: FastifyRequest<{ Params: AgentParams }>,
  reply: FastifyReply,
): Promise<FastifyReply | undefined> {
  const admitted = await admit(deps, agentOf(request.params), "agent:call", request, reply);
  if (admitted === null) return reply;
  if (request.method !== "POST") return reply.code(405).header("allow", "POST").send();
  const { persona, authentication } = admitted;
  if (!isAuthenticated(authentication)) throw new Error("a call was allowed to nobody");
  try {
    requireJson(request.headers["content-type"]);
    request.call = { persona, authentication, version: requestedVersion(versionOf(request), deps.versions) };
  } catch (error) {
    sendFailure(reply, error);
    return reply;
  }
  return undefined;
}

/** The header, or the query parameter of the same name (A2A 1.0, 3.6.1). */
function versionOf(request: FastifyRequest): string | undefined {
  const header = request.headers["a2a-version"];
  if (header !== undefined) return Array.isArray(header) ? header.join(",") : header;
  const query = request.query as Record<string, unknown>;
  const asked = query["A2A-Version"];
  return asked === undefined ? undefined : String(asked);
}

async function answer(
  { binding, streams, calls, onFault }: AgentDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { persona, authentication, version } = request.call as AgentCall;
  let closed: AbortSignal | undefined;
  const lastEventId = request.headers["last-event-id"];
  const answered = await binding.handle({
    caller: { persona, principal: authentication.principal },
    version,
    body: request.body as Buffer,
    lastEventId: Array.isArray(lastEventId) ? lastEventId[0] : lastEventId,
    closed: () => {
      closed ??= calls.open(reply.raw, authentication);
      return closed;
    },
  });
  if (answered.type === "json") {
    if (answered.headers !== undefined) reply.headers(answered.headers);
    return reply.code(answered.status).header("content-type", "application/json; charset=utf-8").send(answered.body);
  }
  reply.hijack();
  streams.serve(reply.raw, answered.frames).catch(onFault);
  return reply;
}
