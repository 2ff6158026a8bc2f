import { decide } from "../../access/decide.js";
import { invalidArgument, NuncioError } from "../../shared/errors.js";
import { isSettled } from "../../tasks/follow.js";
import * as check from "../protocol/check.js";
import { CODECS, type Codec } from "../protocol/codec.js";
import { EnvelopeError, type JsonRpcCall, readEnvelope } from "../protocol/envelope.js";
import { isOurFault, type JsonRpcId, RETRY_AFTER_SECONDS, toJsonRpcFailure } from "../protocol/errors.js";
import { pushNotSupported } from "../protocol/refuse-push.js";
import type { ProtocolVersion } from "../protocol/version.js";
import type { Caller } from "./caller.js";
import type { A2aCore } from "./core.js";
import { messageFrames, taskFrames } from "./event-frames.js";

export interface JsonRpcRequest {
  caller: Caller;
  version: ProtocolVersion;
  body: Buffer;
  /** The header `Last-Event-ID`. */
  lastEventId: string | undefined;
  /** Aborts when nobody waits for the answer any more. Made when it is first asked for. */
  closed(): AbortSignal;
}

export type JsonRpcAnswer =
  | { type: "json"; status: number; body: string; headers?: Record<string, string> }
  /** The text of Server-Sent Events, a piece for each write. */
  | { type: "stream"; frames: AsyncIterable<string> };

type Operation = "send" | "stream" | "get" | "cancel" | "subscribe" | "list" | "push" | "extendedCard";

const METHODS_V1: Record<string, Operation> = {
  SendMessage: "send",
  SendStreamingMessage: "stream",
  GetTask: "get",
  CancelTask: "cancel",
  SubscribeToTask: "subscribe",
  ListTasks: "list",
  CreateTaskPushNotificationConfig: "push",
  GetTaskPushNotificationConfig: "push",
  ListTaskPushNotificationConfigs: "push",
  DeleteTaskPushNotificationConfig: "push",
  GetExtendedAgentCard: "extendedCard",
};

const METHODS_V03: Record<string, Operation> = {
  "message/send": "send",
  "message/stream": "stream",
  "tasks/get": "get",
  "tasks/cancel": "cancel",
  "tasks/resubscribe": "subscribe",
  "tasks/pushNotificationConfig/set": "push",
  "tasks/pushNotificationConfig/get": "push",
  "tasks/pushNotificationConfig/list": "push",
  "tasks/pushNotificationConfig/delete": "push",
  "agent/getAuthenticatedExtendedCard": "extendedCard",
};

const METHODS: Record<ProtocolVersion, ReadonlyMap<string, Operation>> = {
  "1.0": new Map(Object.entries(METHODS_V1)),
  "0.3": new Map(Object.entries(METHODS_V03)),
};

/** What a call needs while it is served. */
interface Call extends JsonRpcRequest {
  id: JsonRpcId;
  params: Record<string, unknown>;
  codec: Codec;
}

/** The JSON-RPC binding (A2A 1.0, 9; 0.3, 3.2.1): one request body in, one answer or stream out. */
export class JsonRpcBinding {
  readonly #core: A2aCore;
  readonly #blockingTimeoutMs: number;
  readonly #onFault: (error: unknown) => void;

  /**
   * @param options.blockingTimeoutMs how long a blocking call of 0.3 waits
   * @param options.onFault told of errors that are ours, with their stacks
   */
  constructor(core: A2aCore, options: { blockingTimeoutMs: number; onFault: (error: unknown) => void }) {
    this.#core = core;
    this.#blockingTimeoutMs = options.blockingTimeoutMs;
    this.#onFault = options.onFault;
  }

  async handle(request: JsonRpcRequest): Promise<JsonRpcAnswer> {
    let id: JsonRpcId = null;
    try {
      const envelope = readEnvelope(request.body);
      id = envelope.id;
      const operation = operationOf(envelope, request.version);
      const params = check.optionalObject(envelope.params, "params") ?? {};
      return await this.#serve(operation, { ...request, id, params, codec: CODECS[request.version] });
    } catch (error) {
      if (isOurFault(error)) this.#onFault(error);
      return failureAnswer(error, error instanceof EnvelopeError ? error.id : id);
    }
  }

  async #serve(operation: Operation, call: Call): Promise<JsonRpcAnswer> {
    switch (operation) {
      case "send":
        return this.#send(call);
      case "stream":
        return this.#stream(call);
      case "get": {
        const request = call.codec.readTask(call.params);
        checkTenant(call.caller, request.interfaceTenant);
        const task = await this.#core.getTask(call.caller, request.id);
        return result(call.id, call.codec.task(task, request.historyLength));
      }
      case "cancel": {
        const request = call.codec.readTask(call.params);
        checkTenant(call.caller, request.interfaceTenant);
        requireExecute(call.caller);
        return result(call.id, call.codec.task(await this.#core.cancelTask(call.caller, request.id)));
      }
      case "subscribe":
        return this.#subscribe(call);
      case "list":
        throw new NuncioError("unsupported", "listing tasks is not supported", { reason: "UNSUPPORTED_OPERATION" });
      case "push":
        throw pushNotSupported();
      case "extendedCard":
        throw new NuncioError("unsupported", "this agent has no extended card", {
          reason: "EXTENDED_AGENT_CARD_NOT_CONFIGURED",
        });
    }
  }

  async #send({ caller, version, codec, id, params, closed }: Call): Promise<JsonRpcAnswer> {
    const request = codec.readSend(params);
    checkTenant(caller, request.interfaceTenant);
    requireExecute(caller);
    const timeLimit = version === "0.3" ? this.#blockingTimeoutMs : undefined;
    const sent = await withTimeLimit(closed, timeLimit, (waiting) => this.#core.sendMessage(caller, request, waiting));
    if (sent.type === "task" && request.blocking && !isSettled(sent.task) && closed().aborted) throw goingAway();
    return result(
      id,
      sent.type === "task"
        ? codec.sentTask(sent.task, request.historyLength)
        : codec.sentMessage(sent.message, sent.contextId),
    );
  }

  async #stream({ caller, codec, id, params, closed }: Call): Promise<JsonRpcAnswer> {
    const request = codec.readSend(params);
    checkTenant(caller, request.interfaceTenant);
    requireExecute(caller);
    const sent = await this.#core.streamMessage(caller, request, closed());
    const spelling = { codec, id };
    const frames =
      "events" in sent
        ? taskFrames(sent, spelling, request.historyLength, this.#onFault)
        : messageFrames(sent, spelling);
    return { type: "stream", frames };
  }

  async #subscribe({ caller, codec, id, params, closed, lastEventId }: Call): Promise<JsonRpcAnswer> {
    const request = codec.readTask(params);
    checkTenant(caller, request.interfaceTenant);
    const followed = await this.#core.subscribe(caller, request.id, lastSeenOf(lastEventId), closed());
    return { type: "stream", frames: taskFrames(followed, { codec, id }, undefined, this.#onFault) };
  }
}

function operationOf({ method }: JsonRpcCall, version: ProtocolVersion): Operation {
  const operation = METHODS[version].get(method);
  if (operation !== undefined) return operation;
  const other: ProtocolVersion = version === "1.0" ? "0.3" : "1.0";
  const shown = JSON.stringify(method.slice(0, 64));
  throw new NuncioError("unsupported", `method ${shown} does not exist in A2A ${version}`, {
    reason: "METHOD_NOT_FOUND",
    ...(METHODS[other].has(method) ? { hint: `it does in ${other}: send the header A2A-Version: ${other}` } : {}),
  });
}

/** The interface tenant is for listeners that serve many agents at one URL; here the URL says it all. */
function checkTenant({ persona }: Caller, interfaceTenant: string | undefined): void {
  if (interfaceTenant === undefined || interfaceTenant === persona.tenant) return;
  throw invalidArgument("tenant", "must be the tenant of the URL, or be left out");
}

function requireExecute({ principal, persona }: Caller): void {
  const decision = decide(principal, "agent:execute", { type: "agent", ...persona });
  if (decision.allowed) return;
  throw missingScope("runs:execute");
}

export const missingScope = (scope: string): NuncioError =>
  new NuncioError("permission_denied", `the credential lacks the scope ${scope}`, { details: { scope } });

/** Instead of half an answer: the work is safe, and whoever sends the same message again waits for the same task. */
const goingAway = (): NuncioError =>
  new NuncioError("unavailable", "the server is shutting down", {
    hint: "send the same message again: it continues to wait for the same task",
  });

function lastSeenOf(header: string | undefined): number | undefined {
  if (header === undefined || header === "") return undefined;
  if (!/^\d{1,15}$/.test(header)) throw invalidArgument("Last-Event-ID", "must be the id of an event of this task");
  return Number(header);
}

/** Runs `wait` with a signal that aborts when the caller is gone or, given a limit, when the time is up. */
async function withTimeLimit<T>(
  closed: () => AbortSignal,
  limitMs: number | undefined,
  wait: (waiting: AbortSignal) => Promise<T>,
): Promise<T> {
  if (limitMs === undefined) return wait(closed());
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), limitMs);
  try {
    return await wait(AbortSignal.any([closed(), limit.signal]));
  } finally {
    clearTimeout(timer);
  }
}

const result = (id: JsonRpcId, value: object): JsonRpcAnswer => ({
  type: "json",
  status: 200,
  body: JSON.stringify({ jsonrpc: "2.0", id, result: value }),
});

/** The answer that an error gets, also one that came up before the body was read. */
export function failureAnswer(error: unknown, id: JsonRpcId = null): Extract<JsonRpcAnswer, { type: "json" }> {
  const { status, body } = toJsonRpcFailure(error, id);
  const headers: Record<string, string> = {};
  if (status === 503 || status === 429) headers["retry-after"] = String(RETRY_AFTER_SECONDS);
  if (status === 403) headers["www-authenticate"] = 'Bearer realm="nuncio", error="insufficient_scope"';
  return { type: "json", status, body: JSON.stringify(body), headers };
}
