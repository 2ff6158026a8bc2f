import type { ServerHttp2Stream } from "node:http2";
import {
  type handleServerStreamingCall,
  type handleUnaryCall,
  Metadata,
  type ServerWritableStream,
} from "@grpc/grpc-js";
import { NuncioError } from "../../../shared/errors.js";
import type { JsonValue } from "../../../shared/json.js";
import { CODECS } from "../../protocol/codec.js";
import { isOurFault } from "../../protocol/errors/table.js";
import { peekText } from "../../protocol/protobuf/peek.js";
import { readMessage } from "../../protocol/protobuf/read.js";
import { writeMessage } from "../../protocol/protobuf/write.js";
import { EXTENSIONS_PARAMETER } from "../active-extensions.js";
import type { A2aEdge } from "../edge.js";
import { type Admitted, callerIn } from "../gate.js";
import type { OpenCall } from "../open-calls.js";
import { OPERATIONS } from "../operations/index.js";
import type { OperationResult } from "../operations/operation.js";
import { closing, noSuchAgent, refusalError } from "../refusals.js";
import type { Framing } from "../stream-pieces.js";
import { agentNamed, anotherAgent, isSame } from "./agent-name.js";
import type { Doorman } from "./doorman.js";
import { type Call, isGone, onGone } from "./gone.js";
import type { Method } from "./methods.js";
import { type FailedStatus, failedStatus, type StatusesOf } from "./status.js";
import type { Untaken } from "./untaken.js";

export interface HandlerDeps {
  edge: A2aEdge;
  doorman: Doorman;
  untaken: Untaken;
  statusesOf: StatusesOf;
}

/** A call on its way through an operation. */
interface Served {
  result: OperationResult;
  /** Where the call waits. */
  open: OpenCall | undefined;
}

/** Serves the methods of all services: each has its operation do the work. */
export class Handlers {
  readonly #deps: HandlerDeps;

  constructor(deps: HandlerDeps) {
    this.#deps = deps;
  }

  unary(method: Method): handleUnaryCall<Buffer, Buffer> {
    return (call, callback) => {
      this.#answer(method, call)
        .then(
          (answer) => {
            this.#watch(call, answer);
            this.#head(method, call);
            callback(null, answer);
          },
          (error) => callback(this.#failed(error, method)),
        )
        .catch((fault) => this.#deps.edge.operations.onFault(fault));
    };
  }

  streaming(method: Method): handleServerStreamingCall<Buffer, Buffer> {
    return (call) => {
      this.#stream(method, call)
        .then(
          () => call.end(),
          (error) => {
            if (!isGone(call)) call.emit("error", this.#failed(error, method));
          },
        )
        .catch((fault) => this.#deps.edge.operations.onFault(fault));
    };
  }

  async #answer(method: Method, call: Call): Promise<Buffer> {
    const { result, open } = await this.#operate(method, call);
    if (open !== undefined) this.#deps.edge.calls.close(open);
    if (result.type !== "json") throw new Error(`${method.path} has answered with a stream`);
    this.#deps.untaken.requireRoom(this.#streamOf(call));
    return encoded(method, result.text);
  }

  async #stream(method: Method, call: ServerWritableStream<Buffer, Buffer>): Promise<void> {
    const { result, open } = await this.#operate(method, call);
    try {
      if (result.type !== "stream") throw new Error(`${method.path} has answered without a stream`);
      this.#deps.untaken.requireRoom(this.#streamOf(call));
      this.#head(method, call);
      for await (const piece of result.pieces(framing(method))) {
        if ("failure" in piece) throw piece.failure;
        await this.#deps.untaken.room(this.#streamOf(call));
        await this.#write(call, piece.messages);
        if (isGone(call)) return;
      }
      // Nothing has gone wrong with the task; only its follower may not, or cannot, be told any more.
      if (open?.aborted === true && !isGone(call)) throw NuncioError.is(open.reason) ? open.reason : closing();
    } finally {
      if (open !== undefined) this.#deps.edge.calls.close(open);
    }
  }

  /** The guards, in this order: what the message says is looked at by whoever may speak to the agent that it is for. */
  async #operate(method: Method, call: Call): Promise<Served> {
    const { edge } = this.#deps;
    const entry = await this.#admit(method, call);
    // The agent has been found by it; as the tenant of a URL it means nothing here.
    const { tenant: _, ...params } = method.read(readMessage(method.request, call.request));
    let open: OpenCall | undefined;
    try {
      const result = await OPERATIONS[method.operation](
        {
          caller: callerIn(entry),
          version: method.version,
          codec: CODECS[method.version],
          params,
          lastSeen: lastSeen(method),
          closed: () => {
            open = this.#open(call, entry);
            return open;
          },
        },
        edge.operations,
      );
      return { result, open };
    } catch (error) {
      if (open !== undefined) edge.calls.close(open);
      throw error;
    }
  }

  /** Those who were not let in by their metadata name the agent in the message, of which nothing else is looked at yet. */
  async #admit(method: Method, call: Call): Promise<Admitted> {
    const { edge, doorman } = this.#deps;
    const arrived = doorman.arrived(call.metadata);
    const tenant = peekText(method.request, "tenant", call.request);
    const named = tenant === "" ? undefined : agentNamed(tenant);
    if (arrived.agent !== undefined && arrived.entry !== undefined) {
      if (named !== undefined && !isSame(named, arrived.agent)) throw anotherAgent();
      // The message may have come long after the metadata.
      const now = await edge.calls.asOfNow(arrived.entry);
      if ("refusal" in now) throw refusalError(now.refusal);
      return now;
    }
    const agent = named ?? edge.publication.defaultAgent;
    if (agent === undefined) throw noSuchAgent();
    const entry = await edge.gate.admit(agent, "agent:call", arrived.credentials, arrived.connection);
    if ("refusal" in entry) throw refusalError(entry.refusal);
    return entry;
  }

  #open(call: Call, entry: Admitted): OpenCall {
    const open = this.#deps.edge.calls.open(entry);
    if (isGone(call)) open.abort();
    onGone(call, () => open.abort());
    return open;
  }

  /** What goes before the messages of an answer. */
  #head({ version }: Method, call: Call): void {
    const { extensions } = this.#deps.doorman.arrived(call.metadata);
    const metadata = new Metadata();
    if (extensions !== undefined) metadata.set(EXTENSIONS_PARAMETER[version], extensions);
    call.sendMetadata(metadata);
  }

  /** At the pace of the reader: resolves when it has taken all of them, or is gone. */
  #write(call: ServerWritableStream<Buffer, Buffer>, messages: readonly Buffer[]): Promise<void> {
    const { untaken } = this.#deps;
    const stream = this.#streamOf(call);
    return new Promise((resolve) => {
      const taken = () => {
        untaken.end(stream);
        call.off("close", taken);
        resolve();
      };
      untaken.begin(stream, sizeOf(messages));
      call.on("close", taken);
      if (call.destroyed) taken();
      else
        messages.forEach((message, at) => {
          call.write(message, at === messages.length - 1 ? taken : undefined);
        });
    });
  }

  /** Until the reader has taken the answer. */
  #watch(call: Call, answer: Buffer): void {
    const stream = this.#streamOf(call);
    if (stream.closed) return;
    this.#deps.untaken.begin(stream, answer.length);
    stream.once("close", () => this.#deps.untaken.end(stream));
  }

  #streamOf(call: Call): ServerHttp2Stream {
    return this.#deps.doorman.arrived(call.metadata).stream;
  }

  #failed(error: unknown, method: Method): FailedStatus {
    if (isOurFault(error)) this.#deps.edge.operations.onFault(error);
    return failedStatus(error, this.#deps.statusesOf(method));
  }
}

/**
 * What a follower has seen cannot be said in gRPC: who comes again is given the task as it stands. In 0.3 also one that
 * has ended, "like GetTask" (specification/grpc/a2a.proto); 1.0 refuses that.
 */
const lastSeen = ({ operation, version }: Method): number | undefined =>
  operation === "subscribe" && version === "0.3" ? Number.MAX_SAFE_INTEGER : undefined;

type Piece = { messages: Buffer[] } | { failure: unknown };

const framing = (method: Method): Framing<Piece> => ({
  results: (results) => ({ messages: results.map(({ text }) => told(method, text)) }),
  failure: (failure) => ({ failure }),
});

const encoded = ({ response, write }: Method, text: string): Buffer =>
  writeMessage(response, write(JSON.parse(text) as JsonValue));

/** What a follower was told last: all who follow a task are told the same, one after another. */
let last: { method: Method; text: string; bytes: Buffer } | undefined;

function told(method: Method, text: string): Buffer {
  if (last?.method !== method || last.text !== text) last = { method, text, bytes: encoded(method, text) };
  return last.bytes;
}

const sizeOf = (messages: readonly Buffer[]): number => messages.reduce((sum, { length }) => sum + length, 0);
