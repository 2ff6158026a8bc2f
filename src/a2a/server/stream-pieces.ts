import type { Ending } from "../../shared/ending.js";
import { NuncioError } from "../../shared/errors.js";
import type { Message } from "../../tasks/message.js";
import type { TaskEvent } from "../../tasks/task-event.js";
import type { Codec, VisibleUpdate } from "../protocol/codec.js";
import { isOurFault } from "../protocol/errors/table.js";
import type { TaskIds } from "../protocol/v1/tasks.js";
import type { Followed } from "./core.js";
import { Updates } from "./updates.js";

/** One result of a stream. */
export interface StreamResult {
  /** JSON text in the spelling of the version. */
  text: string;
  /** Number of its event in the ledger, with which a client can go on later; a bare Message has none. */
  seq: number | undefined;
}

/** How a binding sends what a stream tells. */
export interface Framing<Piece> {
  /** What one commit brought, in order: one piece, so that it is one write. */
  results(results: readonly StreamResult[]): Piece;
  /** An error for which it is too late to be an answer of its own. Nothing follows. */
  failure(error: unknown): Piece;
}

/**
 * The task, then what happened to it.
 *
 * @param closed ends the stream, for a reason that is its last piece
 */
export function taskPieces<Piece>(
  { task, events }: Followed,
  codec: Codec,
  framing: Framing<Piece>,
  historyLength: number | undefined,
  closed: Ending,
  onFault: (error: unknown) => void,
): AsyncGenerator<Piece, void> {
  const first = framing.results([{ seq: task.seq, text: codec.streamedTask(task, historyLength) }]);
  const ids = { id: task.id, contextId: task.contextId };
  return pieces(first, ids, new Updates(task), events, codec, framing, closed, onFault);
}

/** Knows the task by its ids alone: a stream on which nothing happens keeps no copy of what was said and made before. */
async function* pieces<Piece>(
  first: Piece | undefined,
  ids: TaskIds,
  updates: Updates,
  events: AsyncIterable<TaskEvent[]>,
  codec: Codec,
  framing: Framing<Piece>,
  closed: Ending,
  onFault: (error: unknown) => void,
): AsyncGenerator<Piece, void> {
  yield first as Piece;
  // A generator holds on to what it was called with.
  first = undefined;
  try {
    for await (const batch of events) {
      const told = updates.of(batch);
      if (told.length === 0) continue;
      yield framing.results(told.map((update) => ({ seq: update.event.seq, text: updateText(codec, ids, update) })));
    }
    // The task goes on; only this reader may not read of it any more.
    if (NuncioError.is(closed.reason)) yield framing.failure(closed.reason);
  } catch (error) {
    if (isOurFault(error)) onFault(error);
    yield framing.failure(error);
  }
}

/** What was last written of an event: all who follow a task are told the same, each in the frame of its own call. */
const written = new WeakMap<object, Written>();

interface Written {
  codec: Codec;
  update: VisibleUpdate;
  text: string;
}

function updateText(codec: Codec, ids: TaskIds, update: VisibleUpdate): string {
  const known = written.get(update.event);
  if (known?.codec === codec && isSame(known.update, update)) return known.text;
  const text = codec.streamedUpdate(ids, update);
  written.set(update.event, { codec, update, text });
  return text;
}

/** Of one event: what else there is to an update depends on what its follower had seen before. */
const isSame = (a: VisibleUpdate, b: VisibleUpdate): boolean =>
  a.final === b.final &&
  a.facts.state === b.facts.state &&
  a.facts.waitingFor === b.facts.waitingFor &&
  a.facts.started === b.facts.started;

/** The stream of a persona that answers with a bare Message: that, and nothing else. */
export async function* messagePieces<Piece>(
  sent: { message: Message; contextId: string },
  codec: Codec,
  framing: Framing<Piece>,
): AsyncGenerator<Piece, void> {
  yield framing.results([{ seq: undefined, text: codec.streamedMessage(sent.message, sent.contextId) }]);
}
