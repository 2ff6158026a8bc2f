import { hash } from "node:crypto";
import type { Clock } from "../shared/clock.js";
import type { JsonValue } from "../shared/json.js";
import { approvalDigest } from "../tasks/approval-digest.js";
import { APPROVE, type Approval } from "../tasks/approval-ledger.js";
import type { Attempt } from "../tasks/attempt.js";
import type { TaskLedger } from "../tasks/ledger.js";
import { errorResult, type HostOutcome, type HostResult, result } from "./host-tool.js";

export interface ApprovalDesk {
  ledger: { forTenant(tenant: string): Pick<ReturnType<TaskLedger["forTenant"]>, "approvals"> };
  clock: Clock;
  /** What has not been decided after this time is refused. */
  expireAfterMs: number;
}

interface Question {
  callId: string;
  /** A host tool, or `APPROVE`. */
  tool: string;
  arguments: JsonValue;
}

/** The longest question of a step that only asks. */
const MOST_TEXT = 64 * 1024;

/**
 * Lets a call through when the operator has approved exactly this one: null. Otherwise what the call comes to: it has to
 * wait, or it was refused. A decision never changes, so that the same call gets the same answer in every attempt; with
 * other arguments it is another question.
 *
 * @param required false when nothing asks for it any more: what was decided counts, and nothing is waited for
 */
export async function passGate(
  attempt: Attempt,
  desk: ApprovalDesk,
  question: Question,
  required: boolean,
): Promise<HostOutcome | null> {
  const asked = await ask(attempt, desk, question);
  if ("type" in asked) return required ? asked : null;
  return asked.decision === "approved" ? null : refusal(asked, `${question.tool} was not called`);
}

/** By which the answer to a question without a tool is found again: in the same place, another text is another question. */
export const questionId = (callId: string, text: string): string =>
  `${callId} ${hash("sha256", JSON.stringify(text), "hex")}`;

/** Asks a question that no tool is behind. */
export async function askApproval(
  attempt: Attempt,
  desk: ApprovalDesk,
  { text, callId }: { text: string; callId: string },
): Promise<HostOutcome> {
  if (text.length > MOST_TEXT) {
    return errorResult(`the text of an approval must have at most ${MOST_TEXT} characters`, { field: "approve" });
  }
  const asked = await ask(attempt, desk, { callId, tool: APPROVE, arguments: { text } });
  if ("type" in asked) return asked;
  const { decision, reason } = asked;
  return decision === "approved" ? result({ decision, reason }) : refusal(asked);
}

/** The decision, or the outcome of a call that has to wait for it. */
async function ask(attempt: Attempt, desk: ApprovalDesk, question: Question): Promise<Approval | HostOutcome> {
  let digest: string;
  try {
    digest = approvalDigest(question.tool, question.arguments);
  } catch {
    return errorResult("the arguments hold text that is not Unicode, and cannot be shown to the operator");
  }
  const { tenant, id: taskId } = attempt.task;
  const found = await desk.ledger.forTenant(tenant).approvals.find({ taskId, callId: question.callId, digest });
  // Withdrawn when the run asked for something else in its place; now it asks for this again.
  const known = found?.decision === "canceled" ? null : found;
  if (known !== null && known.decision !== null) return known;
  const expiresAt = known?.expiresAt ?? desk.clock.now() + desk.expireAfterMs;
  return { type: "approval", request: { ...question, digest, expiresAt }, until: expiresAt };
}

function refusal({ decision, reason }: Approval, consequence?: string): HostResult {
  const why = decision === "expired" ? "nobody approved it in time" : "the operator has denied it";
  const error = [why, reason].filter((text) => text !== null && text !== "").join(": ");
  const facts = { decision, reason: reason ?? null };
  return errorResult(consequence === undefined ? error : `${consequence}: ${error}`, facts);
}
