import type { AssistantModelMessage, ModelMessage, ToolModelMessage } from "ai";
import type { ToolResult } from "../../tasks/runner.js";
import { type ModelToolCall, type ModelTurn, turnText } from "./model-turn.js";

/** What a tool call came to, as far as the model is concerned. */
export type CallResult = Pick<ToolResult, "text" | "isError">;

export const userMessage = (text: string): ModelMessage => ({
  role: "user",
  // Providers refuse messages without any text.
  content: text.trim() === "" ? "(an empty message)" : text,
});

/** An answer of the model as it is shown to the model again; null when there is nothing in it to show. */
export function assistantMessage(turn: ModelTurn): AssistantModelMessage | null {
  const content = turn.content.flatMap<Exclude<AssistantModelMessage["content"], string>[number]>((part) => {
    if (part.type === "tool-call") {
      return [
        {
          type: "tool-call",
          toolCallId: part.id,
          toolName: part.name,
          input: part.input,
          providerOptions: part.providerOptions,
        },
      ];
    }
    // Providers refuse blank text, though they sometimes produce it before a tool call.
    if (part.type === "text" && part.text.trim() === "") return [];
    return [part];
  });
  return content.length === 0 ? null : { role: "assistant", content };
}

export function toolMessage(calls: readonly ModelToolCall[], results: readonly CallResult[]): ToolModelMessage {
  return {
    role: "tool",
    content: calls.map((call, at) => {
      const { text, isError } = results[at] as CallResult;
      return {
        type: "tool-result",
        toolCallId: call.id,
        toolName: call.name,
        output: { type: isError ? "error-text" : "text", value: text },
      };
    }),
  };
}

/** The text that readers of the result have once these answers are complete. */
export const writtenText = (turns: readonly ModelTurn[], separator: string): string =>
  turns
    .map(turnText)
    .filter((text) => text !== "")
    .join(separator);
