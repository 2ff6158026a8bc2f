import { stateWords } from "../../a2a/client/remote-task.js";
import type { Dispatch, DispatchResult } from "../../peers/dispatch.js";
import { ANSWERED } from "../../peers/peer-store.js";
import { hexOf } from "../../shared/digest.js";
import { newId } from "../../shared/ids.js";
import type { JsonValue } from "../../shared/json.js";
import type { Artifact, Message } from "../../tasks/message.js";
import type { RunOutcome } from "../../tasks/runner.js";

const MAX_QUOTE = 300;

/** What our task comes to when the peer's has ended: its words are data of somebody else. */
export function outcomeOfRemote({ peer, remoteTaskId, facts, result }: Dispatch): RunOutcome {
  const state = facts.remoteTerminal?.state ?? "";
  const said = result?.message ?? null;
  if (state === "TASK_STATE_COMPLETED" || state === ANSWERED) {
    const leftOut = result?.leftOut ?? [];
    const without = leftOut.length === 0 ? "" : ` Left out: ${leftOut.slice(0, 5).join("; ")}.`;
    const text = `Peer ${peer} says that it is done. What it made is unverified analysis.${without}`;
    return { type: "completed", message: message(text, said === null ? null : { peer, said }) };
  }
  const quoted = said === null ? "" : `: ${quote(said)}`;
  return failed(`peer ${peer} shows its task ${quote(remoteTaskId ?? "")} as ${stateWords(state)}${quoted}`);
}

/** The peer waits for something that only the operator can give it: nothing is passed on by itself. */
export function asking(dispatch: Dispatch, waitingFor: "input" | "auth", question: string | null): RunOutcome {
  const { peer, taskId, revision } = dispatch;
  const what = waitingFor === "input" ? "input" : "an authorization";
  const text = `Peer ${peer} asks for ${what}. To answer: nuncio a2a answer ${taskId} --message FILE --revision ${revision}`;
  return { type: "asked", waitingFor, message: message(text, { peer, question: question?.slice(0, 16_384) ?? null }) };
}

/** Bound to what they hold: their ids are ours. */
export const artifactsOf = (peer: string, { artifacts }: DispatchResult): Artifact[] =>
  artifacts.map(({ name, digest, parts }, at) => ({
    artifactId: `${at + 1}-${hexOf(digest).slice(0, 16)}`,
    ...(name !== null && { name }),
    parts: [...parts],
    metadata: { peer, digest, verified: false },
  }));

export const failed = (reason: string, retryable = false): RunOutcome => ({ type: "failed", reason, retryable });

export const quote = (text: string): string =>
  JSON.stringify(text.length > MAX_QUOTE ? `${text.slice(0, MAX_QUOTE)}…` : text);

const message = (text: string, data: JsonValue): Message => ({
  messageId: newId(),
  role: "agent",
  parts: data === null ? [{ text }] : [{ text }, { data }],
});
