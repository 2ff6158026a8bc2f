import { newId } from "../shared/ids.js";
import type { Message } from "./message.js";

/** A message of the agent itself, such as the reason of a failure. */
export const agentSays = (text: string): Message => ({ messageId: newId(), role: "agent", parts: [{ text }] });
