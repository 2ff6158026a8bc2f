import { deviates, shown } from "../deviation.js";
import type { Json } from "../shapes/check.js";
import type { Dialect } from "../spelling/dialect.js";
import type { Ask, Operation, Version } from "../words.js";
import { checkDetails, errorByCode, errorByStatus, type Patch } from "./errors.js";
import { type HttpReply, http } from "./http.js";
import { httpStream, parse } from "./http-stream.js";
import { resultOf } from "./results.js";
import { type CallOptions, isStream, type Reply, type Results, type Wire, type WireError } from "./wire.js";

interface Endpoint {
  method: "GET" | "POST" | "DELETE";
  /** Below the URL of the interface. */
  path: string;
  /** Parameters that travel in the query, of those that the dialect spells. */
  query: string[];
  body: boolean;
}

/** A2A 1.0, 5.3 and 11.3; 0.3, 3.5.6, which has everything under `/v1`. */
function endpointOf(operation: Operation, { id = "", pushId = "" }: Ask, version: Version): Endpoint {
  const task = `/tasks/${encodeURIComponent(id)}`;
  const configs = `${task}/pushNotificationConfigs`;
  const config = `${configs}/${encodeURIComponent(pushId)}`;
  const at = (method: Endpoint["method"], path: string, query: string[] = []): Endpoint => ({
    method,
    path: version === "0.3" ? `/v1${path}` : path,
    query: [...query, ...(version === "1.0" && method !== "POST" ? ["tenant"] : [])],
    body: method === "POST",
  });
  switch (operation) {
    case "send":
      return at("POST", "/message:send");
    case "stream":
      return at("POST", "/message:stream");
    case "get":
      return at("GET", task, ["historyLength"]);
    case "list":
      return at("GET", "/tasks", [
        "contextId",
        "status",
        "pageSize",
        "pageToken",
        "historyLength",
        "statusTimestampAfter",
        "includeArtifacts",
      ]);
    case "cancel":
      return at("POST", `${task}:cancel`);
    case "subscribe":
      return at("POST", `${task}:subscribe`);
    case "createPush":
      return at("POST", configs);
    case "getPush":
      return at("GET", config);
    case "listPush":
      return at("GET", configs, ["pageSize", "pageToken"]);
    case "deletePush":
      return at("DELETE", config);
    case "extendedCard":
      return at("GET", version === "0.3" ? "/card" : "/extendedAgentCard");
  }
}

/** HTTP+JSON (A2A 1.0, 11; 0.3, 3.2.3). */
export class RestWire implements Wire {
  readonly binding = "HTTP+JSON";
  readonly version: Version;
  readonly name: string;
  readonly #dialect: Dialect;

  constructor(dialect: Dialect) {
    this.version = dialect.version;
    this.name = `HTTP+JSON ${dialect.version}`;
    this.#dialect = dialect;
  }

  has(): boolean {
    return true;
  }

  async call<Op extends Operation>(operation: Op, ask: Ask, options: CallOptions): Promise<Reply<Op>> {
    const { method, path, query, body } = endpointOf(operation, ask, this.version);
    const params = this.#dialect.params(operation, ask);
    const found = new URLSearchParams();
    for (const name of query) if (params[name] !== undefined) found.set(name, String(params[name]));
    const search = found.size === 0 ? "" : `?${found}`;
    const reply = await rest(options, this.version, method, path + search, body ? JSON.stringify(params) : undefined);
    if (isStream(operation) && reply.facts.status === 200) {
      return { type: "result", value: httpStream(reply, this.#dialect.event) as Results[Op], facts: reply.facts };
    }
    const { result, error } = await readRest(reply, this.version, options.agent.patch);
    if (error !== undefined) return { type: "error", error };
    return { type: "result", value: resultOf(this.#dialect, operation, result), facts: reply.facts };
  }
}

/** One request below the URL of an agent. */
export function rest(
  { agent, token, headers }: CallOptions,
  version: Version,
  method: string,
  path: string,
  body?: string | Buffer,
): Promise<HttpReply> {
  const type = version === "0.3" ? "application/json" : "application/a2a+json";
  return http(agent.base + path, {
    method,
    headers: {
      ...(body === undefined ? {} : { "content-type": type }),
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(version === "0.3" ? {} : { "a2a-version": version }),
      ...headers,
    },
    body,
  });
}

export async function readRest(
  reply: HttpReply,
  version: Version,
  patch: Patch = "1.0.1",
): Promise<{ result?: unknown; error?: WireError }> {
  const text = await reply.text();
  const { facts } = reply;
  if (facts.status === 204 && text === "") return { result: null };
  const type = facts.headers["content-type"] ?? "";
  if (!/^application\/(a2a\+)?json(;|$)/.test(type)) {
    deviates("Content-Type", `is ${shown(type)}, with ${facts.status} and ${shown(text)}`);
  }
  const value = parse(text);
  if (facts.status >= 200 && facts.status < 300) return { result: value };
  return { error: version === "1.0" ? readStatus(value, reply, patch) : readV03(value, reply) };
}

/** 11.6: `google.rpc.Status` in ProtoJSON under `error`, as the example has it. */
function readStatus(value: unknown, { facts }: HttpReply, patch: Patch): WireError {
  const { error, ...rest } = (value ?? {}) as { error?: Json };
  if (typeof error !== "object" || error === null) deviates("error", `must be an object: ${shown(value)}`);
  if (Object.keys(rest).length > 0) deviates("error", `has ${Object.keys(rest).join()} beside it`);
  const { code, status, message, details, ...others } = error;
  if (Object.keys(others).length > 0) deviates("error", `has the fields ${Object.keys(others).join()}`);
  if (code !== facts.status) deviates("error.code", `is ${shown(code)}, the HTTP status ${facts.status}`);
  if (typeof status !== "string") deviates("error.status", `must be a text, is ${shown(status)}`);
  if (typeof message !== "string" || message === "") deviates("error.message", `must be a text, is ${shown(message)}`);
  return errorByStatus(status as string, message as string, checkDetails(details, "error.details"), facts, patch);
}

/** 0.3, 3.2.3: a JSON format "that maps to A2A error types", for which its official clients read `code` and `message`. */
function readV03(value: unknown, { facts }: HttpReply): WireError {
  const { code, message, data } = (value ?? {}) as Json;
  const error = errorByCode(code, message, Array.isArray(data) ? data : [], facts);
  if (facts.status < 400) deviates("HTTP status", `is ${facts.status}, with the error ${code}`);
  if (error.names[0] === "TASK_NOT_FOUND" && facts.status !== 404)
    deviates("HTTP status", `is ${facts.status}, not 404`);
  return error;
}
