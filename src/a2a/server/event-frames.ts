import type { Message } from "../../tasks/message.js";
import type { TaskEvent } from "../../tasks/task-event.js";
import type { Codec, VisibleUpdate } from "../protocol/codec.js";
import { isOurFault, type JsonRpcId, toJsonRpcFailure } from "../protocol/errors.js";
import type { TaskIds } from "../protocol/v1/tasks.js";
import type { Followed } from "./core.js";
import { resultText } from "./json-rpc-answer.js";
import { Updates } from "./updates.js";

/** How the results of one call are spelled. */
export interface Spelling {
  codec: Codec;
  id: JsonRpcId;
}

/**
 * The text of a stream, as Server-Sent Events: the task, then what happened to it. Whatever one commit brought is one
 * piece, so that it is one write. The id of an event is its number in the ledger, with which a client can go on later.
 *
 * An error on the way, for which it is too late to be an answer of its own, is the last event.
 */
export function taskFrames(
  { task, events }: Followed,
  spelling: Spelling,
  historyLength: number | undefined,
  onFault: (error: unknown) => void,
): AsyncGenerator<string, void> {
  const first = frame(task.seq, spelling, spelling.codec.streamedTask(task, historyLength));
  const ids = { id: task.id, contextId: task.contextId };
  return frames(first, ids, new Updates(task), events, spelling, onFault);
}

/** Knows the task by its ids alone: a stream on which nothing happens keeps no copy of what was said and made before. */
async function* frames(
  first: string,
  ids: TaskIds,
  updates: Updates,
  events: AsyncIterable<TaskEvent[]>,
  spelling: Spelling,
  onFault: (error: unknown) => void,
): AsyncGenerator<string, void> {
  yield first;
  // A generator holds on to what it was called with.
  first = "";
  try {
    for await (const batch of events) {
      let text = "";
      for (const update of updates.of(batch)) {
        text += frame(update.event.seq, spelling, updateText(spelling.codec, ids, update));
      }
      if (text !== "") yield text;
    }
  } catch (error) {
    if (isOurFault(error)) onFault(error);
    yield `data: ${JSON.stringify(toJsonRpcFailure(error, spelling.id).body)}\n\n`;
  }
}

/** What was last written of an event: all who follow a task are told the same, each under the id of its own call. */
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
export async function* messageFrames(
  sent: { message: Message; contextId: string },
  { codec, id }: Spelling,
): AsyncGenerator<string, void> {
  yield `data: ${resultText(id, codec.streamedMessage(sent.message, sent.contextId))}\n\n`;
}

const frame = (seq: number, { id }: Spelling, result: string): string =>
  `id: ${seq}\ndata: ${resultText(id, result)}\n\n`;
