import { delegated } from "../a2a/protocol/delegation-extension.js";
import { digestOfJson } from "../shared/digest.js";
import { derivedId } from "../shared/ids.js";
import type { JsonValue } from "../shared/json.js";
import type { Message, Part } from "../tasks/message.js";
import type { PinnedFile } from "./disclose.js";
import type { DisclosedFile, Dispatch } from "./dispatch.js";

/** What is sent to a peer, and nothing else is. */
export interface Composed {
  message: Message;
  /** `sha256:…` of its canonical form (RFC 8785). */
  bodyDigest: string;
  disclosed: readonly DisclosedFile[];
}

export interface Work {
  instruction: string;
  /** The text of the profile, as it was admitted. */
  profile: string;
  files: readonly PinnedFile[];
}

/** How far the work has been handed on, and the skill that was reviewed. */
export interface Along {
  hop: number;
  skill: string;
}

type Sender = Pick<Dispatch, "taskId" | "runId" | "createdAt">;

/** The first message: the instruction, the profile, and each file as a part of its own that carries its path. */
export function composeWork(sender: Sender, { instruction, profile, files }: Work, along: Along): Composed {
  const parts: Part[] = [{ text: instruction }];
  if (profile !== "") parts.push({ text: profile });
  for (const { path, text } of files) parts.push({ text, filename: path, mediaType: "text/plain" });
  const disclosed = files.map(({ path, digest, bytes }) => ({ path, digest, bytes }));
  return composed(sender, 1, parts, along, disclosed);
}

/** An answer of the operator: its words as they are, and no file. */
export const composeAnswer = (
  sender: Sender,
  turn: number,
  { parts }: Pick<Message, "parts">,
  along: Along,
): Composed => composed(sender, turn, parts, along, []);

function composed(
  sender: Sender,
  turn: number,
  parts: Part[],
  along: Along,
  disclosed: readonly DisclosedFile[],
): Composed {
  // The same turn of the same run has the same id, however often it is composed: nothing of it is sent twice, and a peer
  // that keeps to the protocol would see that it is.
  const messageId = derivedId(sender.taskId, `${sender.runId}/${turn}`, sender.createdAt);
  const message = delegated({ messageId, role: "user", parts }, along);
  return { message, bodyDigest: digestOfJson(message as unknown as JsonValue), disclosed };
}
