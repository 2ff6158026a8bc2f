import { deviates, shown } from "../deviation.js";
import type { Json } from "../shapes/check.js";
import type { Dialect } from "../spelling/dialect.js";
import type { Ask, Operation, Version } from "../words.js";
import { checkDetails, errorByCode } from "./errors.js";
import { type HttpReply, http } from "./http.js";
import { httpStream, parse } from "./http-stream.js";
import { resultOf } from "./results.js";
import { type CallOptions, isStream, type Reply, type Results, type Wire, type WireError } from "./wire.js";

/** A2A 1.0, 5.3; 0.3, 3.5.6. */
export const METHODS: Readonly<Record<Version, Readonly<Record<Operation, string | null>>>> = {
  "1.0": {
    send: "SendMessage",
    stream: "SendStreamingMessage",
    get: "GetTask",
    list: "ListTasks",
    cancel: "CancelTask",
    subscribe: "SubscribeToTask",
    createPush: "CreateTaskPushNotificationConfig",
    getPush: "GetTaskPushNotificationConfig",
    listPush: "ListTaskPushNotificationConfigs",
    deletePush: "DeleteTaskPushNotificationConfig",
    extendedCard: "GetExtendedAgentCard",
  },
  "0.3": {
    send: "message/send",
    stream: "message/stream",
    get: "tasks/get",
    list: null,
    cancel: "tasks/cancel",
    subscribe: "tasks/resubscribe",
    createPush: "tasks/pushNotificationConfig/set",
    getPush: "tasks/pushNotificationConfig/get",
    listPush: "tasks/pushNotificationConfig/list",
    deletePush: "tasks/pushNotificationConfig/delete",
    extendedCard: "agent/getAuthenticatedExtendedCard",
  },
};

let requests = 0;

/** JSON-RPC 2.0 over HTTP (A2A 1.0, 9; 0.3, 3.2.1). */
export class JsonRpcWire implements Wire {
  readonly binding = "JSONRPC";
  readonly version: Version;
  readonly name: string;
  readonly #dialect: Dialect;

  constructor(dialect: Dialect) {
    this.version = dialect.version;
    this.name = `JSON-RPC ${dialect.version}`;
    this.#dialect = dialect;
  }

  has(operation: Operation): boolean {
    return METHODS[this.version][operation] !== null;
  }

  async call<Op extends Operation>(operation: Op, ask: Ask, options: CallOptions): Promise<Reply<Op>> {
    requests += 1;
    const id = requests % 2 === 0 ? requests : `request-${requests}`;
    const body = {
      jsonrpc: "2.0",
      id,
      method: METHODS[this.version][operation],
      params: this.#dialect.params(operation, ask),
    };
    const reply = await post(options, this.version, JSON.stringify(body));
    if (isStream(operation) && reply.facts.headers["content-type"]?.startsWith("text/event-stream") === true) {
      const read = (data: unknown) => {
        const { result, error } = readResponse(data, id);
        if (error !== undefined) deviates("stream", `carries the error ${shown(error)}`);
        return this.#dialect.event(result);
      };
      return { type: "result", value: httpStream(reply, read) as Results[Op], facts: reply.facts };
    }
    const { result, error } = await readJsonRpc(reply, id, this.version);
    if (error !== undefined) return { type: "error", error };
    if (isStream(operation)) deviates("stream", `is answered with ${shown(result)}`);
    return { type: "result", value: resultOf(this.#dialect, operation, result), facts: reply.facts };
  }
}

/** One body, as it is, to the endpoint of an agent. */
export function post(
  { agent, token, headers }: CallOptions,
  version: Version,
  body: string | Buffer,
): Promise<HttpReply> {
  return http(agent.base, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(version === "0.3" ? {} : { "a2a-version": version }),
      ...headers,
    },
    body,
  });
}

/** The answer to a request that is not a stream. @param id that of the request; `null` where it could not be read */
export async function readJsonRpc(
  reply: HttpReply,
  id: unknown,
  version: Version,
): Promise<{ result?: unknown; error?: WireError }> {
  const text = await reply.text();
  const { facts } = reply;
  const type = facts.headers["content-type"] ?? "";
  if (!/^application\/json(;|$)/.test(type))
    deviates("Content-Type", `is ${shown(type)}, with ${facts.status} and ${shown(text)}`);
  // What is refused before the body is read cannot know its id.
  const unread = facts.status !== 200 && text.includes('"id":null');
  const { result, error } = readResponse(parse(text), unread ? null : id);
  if (error === undefined) {
    if (facts.status !== 200) deviates("HTTP status", `is ${facts.status}, with a result`);
    return { result };
  }
  // The details of 1.0 are a list of typed objects; 0.3 leaves `data` to the server.
  const { code, message, data } = error;
  const details = version === "1.0" ? checkDetails(data, "error.data") : Array.isArray(data) ? data : [];
  return { error: errorByCode(code, message, details, facts) };
}

/** JSON-RPC 2.0: `result` or `error`, never both, and the id of the request. */
function readResponse(value: unknown, id: unknown): { result?: unknown; error?: Json } {
  if (typeof value !== "object" || value === null) deviates("response", `is ${shown(value)}`);
  const response = value as Json;
  for (const key of Object.keys(response)) {
    if (!["jsonrpc", "id", "result", "error"].includes(key)) deviates("response", `has the member ${key}`);
  }
  if (response.jsonrpc !== "2.0") deviates("jsonrpc", `is ${shown(response.jsonrpc)}`);
  if (!("id" in response) || response.id !== id) deviates("id", `is ${shown(response.id)}, was ${shown(id)}`);
  if ("result" in response === "error" in response) deviates("response", `must have result or error: ${shown(value)}`);
  if (!("error" in response)) return { result: response.result };
  const error = response.error as Json;
  for (const key of Object.keys(error ?? {})) {
    if (!["code", "message", "data"].includes(key)) deviates("error", `has the member ${key}`);
  }
  return { error };
}
