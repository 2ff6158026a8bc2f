import { decide } from "../../access/decide.js";
import { invalidArgument, NuncioError } from "../../shared/errors.js";
import { isSettled } from "../../tasks/follow.js";
import * as check from "../protocol/check.js";
import { CODECS, type Codec } from "../protocol/codec.js";
import { EnvelopeError, readEnvelope } from "../protocol/envelope.js";
import { isOurFault, type JsonRpcId } from "../protocol/errors.js";
import { pushNotSupported } from "../protocol/refuse-push.js";
import type { ProtocolVersion } from "../protocol/version.js";
import type { Caller } from "./caller.js";
import type { A2aCore } from "./core.js";
import { messageFrames, taskFrames } from "./event-frames.js";
import { failureAnswer, type JsonRpcAnswer, resultAnswer } from "./json-rpc-answer.js";
import { type Operation, operationOf } from "./methods.js";
import { withTimeLimit } from "./time-limit.js";

export interface JsonRpcRequest {
  caller: Caller;
  version: ProtocolVersion;
  body: Buffer;
  /** The header `Last-Event-ID`. */
  lastEventId: string | undefined;
  /** Aborts when nobody waits for the answer any more. Made when it is first asked for. */
  closed(): AbortSignal;
}

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
      const operation = operationOf(envelope.method, request.version);
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
        return resultAnswer(call.id, call.codec.task(task, request.historyLength));
      }
      case "cancel": {
        const request = call.codec.readTask(call.params);
        checkTenant(call.caller, request.interfaceTenant);
        requireExecute(call.caller);
        return resultAnswer(call.id, call.codec.task(await this.#core.cancelTask(call.caller, request.id)));
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
    return resultAnswer(
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
