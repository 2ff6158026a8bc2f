import { TRANSITIONS, type Transition } from "../../tasks/task-state.js";

/*
 * The table of transitions is the law, and SQL is written from it: what an update may find and what it leaves behind are
 * taken from the table, so that a transition that is not there cannot be written.
 */

const quoted = (state: string): string => `'${state}'`;

/** For `WHERE`: the states that allow the transition. */
export function allows(transition: Transition): string {
  const [first, ...more] = TRANSITIONS[transition].from;
  return more.length === 0 ? `state = ${quoted(first)}` : `state IN (${[first, ...more].map(quoted).join(", ")})`;
}

/** For `SET`: the state after it. */
export const moves = (transition: Transition): string => `state = ${quoted(TRANSITIONS[transition].to)}`;
