import type { NewFact, Noted, NoteFact } from "../../peers/peer-store.js";
import { type Command, run, type Steps } from "../sql/command.js";
import { sql } from "../sql/statement.js";
import { addReceipt } from "./add-receipt.js";
import type { DispatchRow } from "./dispatch-row.js";
import { changeDispatch, holdDispatch, withSends } from "./hold-dispatch.js";
import { resultFacts } from "./result-facts.js";

const heard = sql(`UPDATE dispatches SET last_contact_at = :now, last_error = NULL
  WHERE tenant = :tenant AND task_id = :taskId`);

/** What a fact changes, and what its receipt says; null when it is known, or contradicts what is known. */
type Effect = { change: Partial<DispatchRow>; facts?: Record<string, unknown>; kind?: string } | null;

export const note: (command: NoteFact) => Command<Noted> = (command) =>
  function* () {
    const { tenant, taskId, fact, now } = command;
    const row = yield* holdDispatch(tenant, taskId);
    const effect = effectOf(row, fact, now);
    if (effect === null) {
      yield* unchanged(row, command);
      return { dispatch: yield* withSends(row), noted: false };
    }
    const changed = yield* changeDispatch(row, effect.change, now);
    yield* addReceipt(command, effect.kind ?? fact.type, effect.facts ?? {}, now);
    return { dispatch: yield* withSends(changed), noted: true };
  };

function effectOf(row: DispatchRow, fact: NewFact, now: number): Effect {
  switch (fact.type) {
    case "remote":
      return remote(row, fact, now);
    case "local_ended": {
      if (row.local_ended_at !== null) return null;
      // Nothing of it has ever left, so nothing can be at work there.
      const free = row.state === "prepared" ? { holds_slot: 0 } : {};
      return { change: { local_ended_at: now, ...free } };
    }
    case "cancel_asked":
      if (row.cancel_answered_at !== null || (row.cancel_asked_at !== null && !fact.again)) return null;
      return { change: { cancel_asked_at: row.cancel_asked_at ?? now } };
    case "cancel_answered":
      if (row.cancel_answered_at !== null || row.cancel_asked_at === null) return null;
      return {
        change: { cancel_answer: fact.answer, cancel_answered_at: now, last_contact_at: now },
        facts: { answer: fact.answer },
      };
    case "stream_opened":
      return row.stream_opened_at === null ? { change: { stream_opened_at: now, last_contact_at: now } } : null;
    case "stream_closed":
      if (row.stream_opened_at === null || row.stream_closed_at !== null) return null;
      return { change: { stream_closed_at: now, stream_end: fact.end }, facts: { end: fact.end } };
    case "deadline_passed":
      if (row.deadline_at === null || row.deadline_passed_at !== null) return null;
      return { change: { deadline_passed_at: now }, facts: { deadlineAt: row.deadline_at } };
    case "contact_failed":
      // A peer that is away for a day has not changed a thousand times.
      if (row.last_error === fact.error) return null;
      return { change: { last_error: fact.error, revision: row.revision }, facts: { error: fact.error } };
    case "slot_released":
      return row.holds_slot === 0 ? null : { change: { holds_slot: 0 }, facts: { why: fact.why } };
  }
}

/** An end is final: whatever the peer says of its task afterwards is a receipt and no more. */
function remote(row: DispatchRow, fact: Extract<NewFact, { type: "remote" }>, now: number): Effect {
  const { state, ended, result } = fact;
  if (row.remote_ended_at !== null || (!ended && row.remote_state === state)) return null;
  const change = { remote_state: state, remote_state_at: now, last_contact_at: now, last_error: null };
  if (!ended) return { change, facts: { state }, kind: "remote_state" };
  return {
    change: {
      ...change,
      remote_ended_at: now,
      holds_slot: 0,
      result: result === null ? null : JSON.stringify(result),
    },
    facts: { state, ...resultFacts(result) },
    kind: "remote_ended",
  };
}

/** Nothing has changed but that something was heard, and a contradiction is written down. */
function* unchanged(row: DispatchRow, { tenant, taskId, fact, now }: NoteFact): Steps<void> {
  if (fact.type === "remote") {
    yield* run(heard, { tenant, taskId, now });
    const contradicts = row.remote_ended_at !== null && row.remote_state !== fact.state;
    if (contradicts) yield* addReceipt({ tenant, taskId }, "late_state", { state: fact.state }, now);
  }
  if (fact.type === "cancel_answered" && row.cancel_answer !== fact.answer) {
    yield* addReceipt({ tenant, taskId }, "late_answer_to_cancel", { answer: fact.answer }, now);
  }
}
