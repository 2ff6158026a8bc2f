import type { JsonObject, JsonValue } from "../shared/json.js";

/** The version of recorded steps; a run refuses a newer one. */
export const JOURNAL_FORMAT = 1;

/**
 * A step of a run that a later attempt does not repeat. Steps are numbered from 1 within a task, over all attempts
 * and turns; `kind` and `data` belong to the runtime, `key` finds the step again (a tool-call id, a step's path).
 */
export interface JournalStep {
  step: number;
  /** Message of the caller that the run was working on, from 1. */
  turn: number;
  kind: string;
  key: string;
  data: JsonValue;
  /** When it was recorded, ms; ids of children are derived from it. */
  at: number;
}

/** What a runtime hands in: number, turn and time are set by the attempt. */
export interface NewStep {
  kind: string;
  key: string;
  data: JsonObject | JsonValue;
}
