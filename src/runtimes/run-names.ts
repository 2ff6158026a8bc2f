import { NuncioError } from "../shared/errors.js";
import type { JsonValue } from "../shared/json.js";

/** What templates can name of every run, whatever its runtime. */
export interface RunNames {
  text: string;
  data: JsonValue | undefined;
  turn: number;
  attempt: number;
}

/** The value of a name of every run; null when it is none of them. */
export function valueOfRun(name: string, run: RunNames): { value: JsonValue | undefined } | null {
  switch (name) {
    case "input.text":
    case "input.message":
      return { value: run.text };
    case "input.data":
      return { value: run.data };
    case "turn":
      return { value: run.turn };
    case "attempt":
      return { value: run.attempt };
    default:
      return null;
  }
}

export const unknownName = (name: string): NuncioError =>
  new NuncioError("invalid_argument", `template {{${name.slice(0, 100)}}}: there is no such name`);
