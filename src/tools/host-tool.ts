import type { z } from "zod";
import type { Persona } from "../personas/persona.js";
import type { JsonValue } from "../shared/json.js";
import type { Attempt } from "../tasks/attempt.js";
import type { JournalStep } from "../tasks/journal.js";
import type { ToolOutcome, ToolResult } from "../tasks/runner.js";

/** A tool that Nuncio itself gives to a run. */
export interface HostTool<Args = unknown> {
  name: string;
  /** For the model: what it does and what comes back. */
  description: string;
  /** What only this persona has to know of it, behind the description. */
  describeTo?(persona: Persona): string;
  args: z.ZodType<Args>;
  /** Whether the persona has the tool. Otherwise it is absent from its list, and refused if called anyway. */
  offeredTo(persona: Persona): boolean;
  /** What a persona lacks that does not have it, for the refusal. */
  needs: string;
  /**
   * The capability that a call with these arguments uses, such as `persona.send:writer`: where the persona's
   * `requireApproval` covers it, the operator decides about exactly this call before it is made.
   */
  capability?(args: Args): string;
  /**
   * Throws what would refuse the call, whatever anybody approves: asked before the first time that the call is made,
   * and before the operator is asked. Has no effects.
   */
  check?(args: Args, by: Pick<HostCall, "attempt" | "persona">): void | Promise<void>;
  /**
   * A call that was in flight when an attempt died is made again. Otherwise its start is durable before it runs, and
   * after a crash its outcome is unknown.
   */
  idempotent: boolean;
  run(args: Args, call: HostCall): Promise<HostOutcome>;
}

/** One call of a tool by a run. */
export interface HostCall {
  readonly attempt: Attempt;
  readonly persona: Persona;
  readonly callId: string;
  /** The tool may park the attempt itself. */
  readonly last: boolean;
  /** The recorded start of the call; undefined until `start`. */
  readonly started: JournalStep | undefined;
  /**
   * Notes the start of the call, once: its time is the same in every repetition, so that deadlines and ids of
   * children can hang on it. Durable with the next thing that the attempt records.
   */
  start(): JournalStep;
}

export type HostOutcome = HostResult | Exclude<ToolOutcome, ToolResult>;

export interface HostResult {
  type: "result";
  value: JsonValue;
  isError: boolean;
  /** Which top-level fields of `value` are somebody else's words, and whose. */
  said?: { by: string; fields: readonly string[] };
}

/** Keeps the argument types of a tool together while it stands in a list with others. */
export const hostTool = <Args>(tool: HostTool<Args>): HostTool => tool as unknown as HostTool;

export const result = (value: JsonValue, said?: HostResult["said"]): HostResult =>
  said === undefined ? { type: "result", value, isError: false } : { type: "result", value, isError: false, said };

export const errorResult = (error: string, facts: { [key: string]: JsonValue } = {}): HostResult => ({
  type: "result",
  value: { error, ...facts },
  isError: true,
});
