import { z } from "zod";
import type { JournalStep } from "../../tasks/journal.js";

/** The kind of journal step that holds one answer of the model. Its data is a `ModelTurn`, its key `model-<number>`. */
export const MODEL_TURN = "model_turn";

/** What a provider wants back with a part of its answer, such as the signature of its reasoning. */
const providerOptions = z.record(z.string(), z.record(z.string(), z.json())).optional();

const part = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string(), providerOptions }),
  z.object({ type: z.literal("reasoning"), text: z.string(), providerOptions }),
  z.object({
    type: z.literal("tool-call"),
    id: z.string(),
    name: z.string(),
    /** The arguments; an empty object where `malformed` stands. */
    input: z.record(z.string(), z.json()),
    /** Why the arguments could not be read. The call is not made, and the model is told this. */
    malformed: z.string().optional(),
    providerOptions,
  }),
]);

const modelTurn = z.object({
  content: z.array(part),
  /** In the words of the AI SDK: stop, length, content-filter, tool-calls, error, other. */
  finish: z.string(),
  inputTokens: z.number(),
  outputTokens: z.number(),
});

/** One answer of the model, as the journal keeps it. */
export type ModelTurn = z.infer<typeof modelTurn>;
export type ModelToolCall = Extract<ModelTurn["content"][number], { type: "tool-call" }>;

export const callsOf = (turn: ModelTurn): ModelToolCall[] => turn.content.filter((part) => part.type === "tool-call");

export const turnText = (turn: ModelTurn): string =>
  turn.content.map((part) => (part.type === "text" ? part.text : "")).join("");

export interface RecordedTurn extends ModelTurn {
  /** The message of the caller that the model was working on, from 1. */
  turn: number;
}

/** The answers that earlier attempts, and earlier turns of the task, have paid for; in order. */
export function recordedTurns(steps: readonly JournalStep[]): RecordedTurn[] {
  return steps
    .filter((step) => step.kind === MODEL_TURN)
    .map((step) => ({ ...modelTurn.parse(step.data), turn: step.turn }));
}

/**
 * The id of a tool call: unique in the task, the same in every attempt, and ours, since some providers give the same
 * ids in every answer. Nine letters and digits, which is the strictest form that a provider asks for.
 *
 * @param turn number of the model's answer within the task, from 1
 * @param call number of the call within the answer, from 1
 */
export const toolCallId = (turn: number, call: number): string =>
  `t${String(turn).padStart(4, "0")}${String(call).padStart(4, "0")}`;
