import { newId } from "../../shared/ids.js";
import { type Message, textOf } from "../message.js";

export const userSays = (text: string): Message => ({ messageId: newId(), role: "user", parts: [{ text }] });
export const agentSays = (text: string): Message => ({ messageId: newId(), role: "agent", parts: [{ text }] });

export const texts = (messages: readonly Message[]): string[] => messages.map(textOf);
