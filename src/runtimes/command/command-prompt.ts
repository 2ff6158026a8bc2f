import type { CommandProvider } from "../../personas/provider.js";
import type { Message } from "../../tasks/message.js";
import { messageText } from "../message-text.js";

/** The instructions of the persona, then what it was sent, with what came of the tasks that this refers to. */
export const commandPrompt = (systemPrompt: string, message: Message, referenced: string): string =>
  [systemPrompt, messageText(message), referenced].filter((text) => text.trim() !== "").join("\n\n");

export function commandInput(
  provider: Pick<CommandProvider, "args" | "promptAs">,
  prompt: string,
): { args: string[]; stdin: string | null } {
  if (provider.promptAs === "stdin") return { args: [...provider.args], stdin: prompt };
  // A caller's words must not be taken for an option of the program; and no argument can hold a zero byte.
  const argument = (prompt.startsWith("-") ? ` ${prompt}` : prompt).replaceAll("\0", "");
  return { args: [...provider.args, argument], stdin: null };
}
