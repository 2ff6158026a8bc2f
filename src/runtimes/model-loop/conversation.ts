import type { ModelMessage } from "ai";
import { type Message, textOf } from "../../tasks/message.js";
import type { TaskSnapshot } from "../../tasks/task.js";
import { messageText } from "../message-text.js";

/** Providers count differently; this is close enough to keep a bound. */
const CHARACTERS_PER_TOKEN = 4;

type Said = Pick<TaskSnapshot, "history" | "statusMessage" | "artifacts">;

/**
 * What the persona and its caller said to each other in earlier tasks of the context: the newest tasks that fit into
 * `maxTokens`, each whole or not at all.
 *
 * @param tasks oldest first
 */
export function conversationMessages(tasks: readonly Said[], maxTokens: number): ModelMessage[] {
  let budget = maxTokens * CHARACTERS_PER_TOKEN;
  const exchanges: ModelMessage[][] = [];
  for (const task of tasks.toReversed()) {
    const exchange = exchangeOf(task);
    budget -= exchange.reduce((sum, message) => sum + message.content.length, 0);
    if (budget < 0) break;
    exchanges.unshift(exchange);
  }
  return exchanges.flat();
}

/** Questions and answers of one task, ending with what the persona answered; empty when it never answered. */
function exchangeOf(task: Said): ModelMessage[] {
  const answer = task.artifacts.map(textOf).filter(hasText).join("\n\n") || textOf(task.statusMessage ?? { parts: [] });
  if (!hasText(answer)) return [];
  const messages: ModelMessage[] = [];
  for (const [at, message] of task.history.entries()) {
    const text = message.role === "user" ? messageText(message) : textOf(message);
    if (hasText(text) && (message.role === "user" || isQuestion(task.history, at))) {
      messages.push({ role: message.role === "user" ? "user" : "assistant", content: text });
    }
  }
  messages.push({ role: "assistant", content: answer });
  return messages;
}

/** Of what the persona said on the way only that counts which the caller answered; the rest was about its progress. */
const isQuestion = (history: readonly Message[], at: number): boolean => history[at + 1]?.role === "user";

const hasText = (text: string): boolean => text.trim() !== "";
