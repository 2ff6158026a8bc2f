import { decide } from "../../access/decide.js";
import type { Ending } from "../../shared/ending.js";
import { invalidArgument, NuncioError } from "../../shared/errors.js";
import { isSettled } from "../../tasks/follow.js";
import * as check from "../protocol/check.js";
import { CODECS, type Codec } from "../protocol/codec.js";
import { EnvelopeError, readEnvelope } from "../protocol/envelope.js";
import { isOurFault, type JsonRpcId } from "../protocol/errors.js";
import { pushNotSupported } from "../protocol/refuse-push.js";
import { type ProtocolVersion, requestedVersion } from "../protocol/version.js";
import type { Caller } from "./caller.js";
import type { A2aCore } from "./core.js";
import { messageFrames, taskFrames } from "./event-frames.js";
import { failureAnswer, type JsonRpcAnswer, resultAnswer } from "./json-rpc-answer.js";
import { type Operation, operationOf } from "./methods.js";
import { withTimeLimit } from "./time-limit.js";

export interface JsonRpcRequest {
  caller: Caller;
  /** What the request says of its version, if anything. */
  askedVersion: string | undefined;
  body: Buffer;
  /** The header `Last-Event-ID`. */
  lastEventId: string | undefined;
  /** Comes when nobody waits for the answer any more. Made for a call that waits, once. */
  closed(): Ending;
}

/** What a call needs while it is served. */
interface Call {
  request: JsonRpcRequest;
  caller: Caller;
  version: ProtocolVersion;
  codec: Codec;
  id: JsonRpcId;
  params: Record<string, unknown>;
}

/** The JSON-RPC binding (A2A 1.0, 9; 0.3, 3.2.1): one request body in, one answer or stream out. */
export class JsonRpcBinding {
  readonly #core: A2aCore;
  readonly #versions: readonly ProtocolVersion[];
  readonly #blockingTimeoutMs: number;
  readonly #onFault: (error: unknown) => void;

  /**
   * @param options.versions those that are served
   * @param options.blockingTimeoutMs how long a blocking call of 0.3 waits
   * @param options.onFault told of errors that are ours, with their stacks
   */
  constructor(
    core: A2aCore,
    options: {
      versions: readonly ProtocolVersion[];
      blockingTimeoutMs: number;
      onFault: (error: unknown) => void;
    },
  ) {
    this.#core = core;
    this.#versions = options.versions;
    this.#blockingTimeoutMs = options.blockingTimeoutMs;
    this.#onFault = options.onFault;
  }

  async handle(request: JsonRpcRequest): Promise<JsonRpcAnswer> {
    let id: JsonRpcId = null;
    try {
      const envelope = readEnvelope(request.body);
      id = envelope.id;
      const version = requestedVersion(request.askedVersion, this.#versions);
      const operation = operationOf(envelope.method, version);
      const params = check.optionalObject(envelope.params, "params") ?? {};
      const { caller } = request;
      return await this.#serve(operation, { request, caller, version, codec: CODECS[version], id, params });
    } catch (error) {
      if (isOurFault(error)) this.#onFault(error);
      return failureAnswer(error, error instanceof EnvelopeError ? error.id : id);
    }
  }

  /** Throws at once what is not offered. */
  #serve(operation: Operation, call: Call): Promise<JsonRpcAnswer> {
    switch (operation) {
      case "send":
        return this.#send(call);
      case "stream":
        return this.#stream(call);
      case "get":
        return this.#get(call);
      case "cancel":
        return this.#cancel(call);
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

  async #send({ request, caller, version, codec, id, params }: Call): Promise<JsonRpcAnswer> {
    const send = codec.readSend(params);
    checkTenant(caller, send.interfaceTenant);
    requireExecute(caller);
    const closed = request.closed();
    const sent =
      version === "0.3"
        ? await withTimeLimit(closed, this.#blockingTimeoutMs, (end) => this.#core.sendMessage(caller, send, end))
        : await this.#core.sendMessage(caller, send, closed);
    if (sent.type === "message") return resultAnswer(id, codec.sentMessage(sent.message, sent.contextId));
    if (send.blocking && !isSettled(sent.task) && closed.aborted) throw goingAway();
    return resultAnswer(id, codec.sentTask(sent.task, send.historyLength));
  }

  async #stream({ request, caller, codec, id, params }: Call): Promise<JsonRpcAnswer> {
    const send = codec.readSend(params);
    checkTenant(caller, send.interfaceTenant);
    requireExecute(caller);
    const sent = await this.#core.streamMessage(caller, send, request.closed());
    const spelling = { codec, id };
    const frames =
      "events" in sent ? taskFrames(sent, spelling, send.historyLength, this.#onFault) : messageFrames(sent, spelling);
    return { type: "stream", frames };
  }

  async #get({ caller, codec, id, params }: Call): Promise<JsonRpcAnswer> {
    const task = codec.readTask(params);
    checkTenant(caller, task.interfaceTenant);
    return resultAnswer(id, codec.task(await this.#core.getTask(caller, task.id), task.historyLength));
  }

  async #cancel({ caller, codec, id, params }: Call): Promise<JsonRpcAnswer> {
    const task = codec.readTask(params);
    checkTenant(caller, task.interfaceTenant);
    requireExecute(caller);
    return resultAnswer(id, codec.task(await this.#core.cancelTask(caller, task.id)));
  }

  async #subscribe({ request, caller, codec, id, params }: Call): Promise<JsonRpcAnswer> {
    const task = codec.readTask(params);
    checkTenant(caller, task.interfaceTenant);
    const lastSeen = lastSeenOf(request.lastEventId);
    const followed = await this.#core.subscribe(caller, task.id, lastSeen, request.closed());
    return { type: "stream", frames: taskFrames(followed, { codec, id }, undefined, this.#onFault) };
  }
}

/** The interface tenant is for listeners that serve many agents at one URL; here the URL says it all. */
function checkTenant({ persona }: Caller, interfaceTenant: string | undefined): void {
  if (interfaceTenant === undefined || interfaceTenant === persona.tenant) return;
  throw invalidArgument("tenant", "must be the tenant of the URL, or be left out");
}

function requireExecute({ principal, persona }: Caller): void {
  const decision = decide(principal, "agent:execute", {
    type: "agent",
    tenant: persona.tenant,
    visibility: persona.visibility,
  });
  if (decision.allowed) return;
  throw missingScope("runs:execute");
}

export const missingScope = (scope: string): NuncioError =>
  new NuncioError("permission_denied", `the credential lacks the scope ${scope}`, { details: { scope } });

/** Instead of half an answer: the work is safe, and whoever sends the same message again waits for the same task. */
const goingAway = (): NuncioError =>
  new NuncioError("unavailable", "the server ended the wait before the task was settled", {
    hint: "send the same message again: it continues to wait for the same task",
  });

function lastSeenOf(header: string | undefined): number | undefined {
  if (header === undefined || header === "") return undefined;
  if (!/^\d{1,15}$/.test(header)) throw invalidArgument("Last-Event-ID", "must be the id of an event of this task");
  return Number(header);
}
