import type { Ending } from "../../../shared/ending.js";
import { NuncioError } from "../../../shared/errors.js";
import { parseJson } from "../../protocol/envelope.js";
import { isOurFault } from "../../protocol/errors/table.js";
import type { Params } from "../../protocol/read-request.js";
import { requestedVersion } from "../../protocol/version.js";
import type { Caller } from "../caller.js";
import { lastSeenOf } from "../last-event-id.js";
import { OPERATIONS } from "../operations/index.js";
import type { OperationDeps, OperationName } from "../operations/operation.js";
import { failureAnswer, framing, type RestAnswer } from "./answer.js";
import { type Dialect, dialectV1, dialectV03, type Given } from "./dialect.js";
import { readQuery } from "./query.js";
import { type Route, routesAt, type Verb } from "./routes.js";

export interface RestRequest {
  method: string;
  /** What follows the endpoint of the agent, still escaped. */
  path: string;
  query: URLSearchParams;
  /** What the request says of its version, if anything. */
  askedVersion: string | undefined;
  /** The header `Last-Event-ID`. */
  lastEventId: string | undefined;
}

/** What is read only of those who are let in, and only where something is done with it. */
export interface RestCall {
  /** Refuses what is no JSON; empty where there is none. */
  body(): Promise<Buffer>;
  /** As of when the body has come. Throws when that is nobody any more. */
  caller(): Caller;
  /** Comes when nobody waits for the answer any more. Made for a call that waits, once. */
  closed(): Ending;
}

/** The HTTP+JSON binding of 1.0 (11), and that of 0.3 (3.2.3), whose paths begin with `v1`. */
export class RestBinding {
  readonly #deps: OperationDeps;
  readonly #compat: () => "1.0.1" | "1.0.0";

  /** @param compat `a2a.compat`: whether clients of 1.0.0 get the answers that they know */
  constructor(deps: OperationDeps, compat: () => "1.0.1" | "1.0.0") {
    this.#deps = deps;
    this.#compat = compat;
  }

  async handle(request: RestRequest, call: RestCall): Promise<RestAnswer> {
    try {
      const route = this.#routeOf(request);
      const operation = operationOf(route, request.method);
      if (operation === undefined) return this.#notAllowed(request, route);
      return await this.#serve(operation, route, request, call);
    } catch (error) {
      return this.failure(request, error);
    }
  }

  /** The answer to an error, in the words of the version that the path speaks. */
  failure(request: Pick<RestRequest, "path" | "askedVersion">, error: unknown): RestAnswer & { type: "json" } {
    if (isOurFault(error)) this.#deps.onFault(error);
    const speaksV03 = /^v1(\/|$)/.test(request.path) && !/^\s*1\./.test(request.askedVersion ?? "");
    return failureAnswer(this.#dialectOf(speaksV03 ? "0.3" : "1.0"), error);
  }

  async #serve(operation: OperationName, route: Route, request: RestRequest, call: RestCall): Promise<RestAnswer> {
    const dialect = this.#dialectOf(route.layout);
    const hasBody = request.method === "POST";
    const given: Given = {
      resource: route.resource,
      tenant: route.tenant,
      query: hasBody ? {} : readQuery(operation, request.query),
      body: hasBody ? readBody(await call.body()) : {},
    };
    const result = await OPERATIONS[operation](
      {
        ...{ caller: call.caller(), version: dialect.version, codec: dialect.codec },
        params: dialect.params(operation, given),
        lastSeen: operation === "subscribe" ? lastSeenOf(request.lastEventId) : undefined,
        closed: () => call.closed(),
      },
      this.#deps,
    );
    if (result.type === "stream") {
      const frame = framing(dialect, (text) => dialect.result(operation, given, text) ?? "");
      return { type: "stream", frames: result.pieces(frame) };
    }
    const body = dialect.result(operation, given, result.text);
    return body === null
      ? { type: "json", status: 204, body: "" }
      : { type: "json", status: 200, body, mediaType: dialect.mediaType, ...keeping(operation, hasBody) };
  }

  /**
   * A path of 1.0 without a version can only mean 1.0: clients of 0.3 have other ones. Those begin with `v1`, and without a
   * version mean 0.3, as everywhere.
   */
  #routeOf({ path, askedVersion }: RestRequest): Route {
    const routes = routesAt(path);
    if (routes.length === 0) throw noSuchPath();
    const asked = askedVersion?.trim() ?? "";
    const bySilence = routes.some(({ layout }) => layout === "0.3") ? "0.3" : "1.0";
    const version = requestedVersion(asked === "" ? bySilence : asked, this.#deps.versions);
    const route = routes.find(({ layout }) => layout === version);
    if (route === undefined) throw otherLayout(version);
    return route;
  }

  #dialectOf(layout: Route["layout"]): Dialect {
    if (layout === "0.3") return dialectV03;
    return this.#compat() === "1.0.1" ? NOW : BEFORE;
  }

  #notAllowed(request: RestRequest, { resource }: Route): RestAnswer {
    const allow = Object.keys(resource.methods).join(", ");
    const answer = this.failure(
      request,
      new NuncioError("unsupported", "this path does not take the method", {
        reason: "METHOD_NOT_ALLOWED",
        hint: `use ${allow}`,
      }),
    );
    return { ...answer, headers: { ...answer.headers, allow } };
  }
}

/** A card changes seldom, and is the caller's own (1.0, 13.3); how a task stands is not to be taken from a cache. */
function keeping(operation: OperationName, hasBody: boolean): { headers?: Record<string, string> } {
  if (operation === "extendedCard") {
    const vary = "A2A-Version, Authorization, X-Nuncio-Agent-Token";
    return { headers: { "cache-control": "private, max-age=60", vary } };
  }
  return hasBody ? {} : { headers: { "cache-control": "no-store" } };
}

const NOW = dialectV1("1.0.1");
const BEFORE = dialectV1("before");

const operationOf = ({ resource }: Route, method: string): OperationName | undefined =>
  Object.hasOwn(resource.methods, method) ? resource.methods[method as Verb] : undefined;

function readBody(body: Buffer): Params {
  if (body.length === 0) return {};
  const value = parseJson(body);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new NuncioError("invalid_argument", "the body must be a JSON object", { reason: "INVALID_REQUEST" });
  }
  return value as Params;
}

const noSuchPath = (): NuncioError =>
  new NuncioError("not_found", "there is nothing at this path", { reason: "PATH_NOT_FOUND" });

const otherLayout = (version: string): NuncioError =>
  new NuncioError("unsupported", `A2A version ${version} has other paths`, {
    reason: "VERSION_NOT_SUPPORTED",
    hint: version === "0.3" ? "put /v1 in front" : "leave out /v1",
  });
