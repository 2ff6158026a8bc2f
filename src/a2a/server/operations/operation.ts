import type { Clock } from "../../../shared/clock.js";
import type { Ending } from "../../../shared/ending.js";
import type { TaskLedger } from "../../../tasks/ledger.js";
import type { Codec } from "../../protocol/codec.js";
import type { Params } from "../../protocol/read-request.js";
import type { ProtocolVersion } from "../../protocol/version.js";
import type { Caller } from "../caller.js";
import type { Publication } from "../cards/publication.js";
import type { Core } from "../core.js";
import type { PushDesk } from "../push/push-desk.js";
import type { Framing } from "../stream-pieces.js";

/** The operations of A2A (1.0, 3.1), whatever a version or a binding calls them. */
export type OperationName =
  | "send"
  | "stream"
  | "get"
  | "list"
  | "cancel"
  | "subscribe"
  | "createPush"
  | "getPush"
  | "listPush"
  | "deletePush"
  | "extendedCard";

/** One call, as every binding brings it: what came in is a JSON object in the spelling of the version. */
export interface OperationCall {
  caller: Caller;
  version: ProtocolVersion;
  codec: Codec;
  params: Params;
  /** Number of the last event that the caller has seen (`Last-Event-ID`). */
  lastSeen: number | undefined;
  /** Comes when nobody waits for the answer any more. Made for a call that waits, once. */
  closed(): Ending;
}

export type OperationResult =
  /** The result in the spelling of the version, as JSON text. */
  { type: "json"; text: string } | { type: "stream"; pieces: StreamPieces };

/** The results of a stream, in whatever form the binding sends them. */
export type StreamPieces = <Piece>(framing: Framing<Piece>) => AsyncIterable<Piece>;

/** What the operations stand on. What of it the configuration says may change, and is read for each call. */
export interface OperationDeps {
  core: Core;
  ledger: TaskLedger;
  pushes: PushDesk;
  clock: Clock;
  publication: Publication;
  /** Those that are served. */
  versions: readonly ProtocolVersion[];
  /** How long a blocking call of 0.3 waits, ms. */
  blockingTimeoutMs: number;
  /** Told of errors that are ours, with their stacks. */
  onFault(error: unknown): void;
}

/** Rejects with a `NuncioError` that the table of the binding translates. */
export type Operation = (call: OperationCall, deps: OperationDeps) => Promise<OperationResult>;
