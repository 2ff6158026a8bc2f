import type { RemoteAnswer, RemoteState, RemoteTask } from "../../a2a/client/remote-task.js";
import { messageOf, NuncioError } from "../../shared/errors.js";
import type { JsonValue } from "../../shared/json.js";
import type { HostResult } from "../host-tool.js";
import { placeOf } from "./place-of.js";
import { madeText, received, textOfParts } from "./remote-text.js";

/** Whose words a result holds, and what was shown to them. */
export interface Source {
  agentUrl: string;
  secrets: readonly string[];
}

interface Ids {
  taskId: string | null;
  contextId: string | null;
}

type Words = "reply" | "asks" | "error";
type Fields = { [field: string]: JsonValue };

/** States that are an answer, and in which field stands what the agent says then. */
const SETTLED: Partial<Record<RemoteState, { status: string; field: Words }>> = {
  TASK_STATE_COMPLETED: { status: "completed", field: "reply" },
  TASK_STATE_FAILED: { status: "failed", field: "error" },
  TASK_STATE_REJECTED: { status: "rejected", field: "error" },
  TASK_STATE_CANCELED: { status: "canceled", field: "error" },
  TASK_STATE_INPUT_REQUIRED: { status: "input_required", field: "asks" },
  TASK_STATE_AUTH_REQUIRED: { status: "auth_required", field: "asks" },
};

/** What came of a call: `{ status, task_id, context_id }`, and what the agent says as `reply`, `asks` or `error`. */
export function answerResult(answer: RemoteAnswer, source: Source): HostResult {
  if (answer.type === "message") {
    return said("completed", answer, { field: "reply", text: textOfParts(answer.message.parts) }, source);
  }
  const { task } = answer;
  const { status, field } = SETTLED[task.state] ?? { status: "unknown", field: "error" };
  return said(status, idsOf(task), { field, text: field === "reply" ? madeText(task) : saidBy(task) }, source);
}

/** Whatever came of it, it was nothing that the agent answered. */
export function troubleResult(
  status: "refused" | "unknown",
  error: unknown,
  source: Source,
  ids: Ids = { taskId: null, contextId: null },
): HostResult {
  const text =
    status === "unknown" ? `${UNKNOWN[ids.taskId === null ? "sent" : "begun"]}: ${messageOf(error)}` : messageOf(error);
  // What an agent answers is quoted in its errors; all others are words of ours.
  if (NuncioError.is(error) && error.reason?.startsWith("AGENT_") !== true) {
    const { text: shown } = received(text, source.secrets);
    return withIds({ status, error: shown, ...reasonIn(error) }, ids, [], source, true);
  }
  return said(status, ids, { field: "error", text }, source, { isError: true, more: reasonIn(error) });
}

const UNKNOWN = {
  sent: "the message was sent, or may have been, and what became of it is not known; it is not sent again",
  begun: "the agent has begun a task for it, and what became of that is not known",
};

export const interruptedResult = (source: Source): HostResult =>
  troubleResult(
    "unknown",
    new NuncioError("unavailable", "the call was interrupted", { reason: "OUTCOME_UNKNOWN" }),
    source,
  );

export const timeoutResult = (ids: Ids, timeoutMs: number, source: Source): HostResult =>
  withIds(
    { status: "timeout", message: `no reply within ${timeoutMs} ms; the agent may go on with its task` },
    ids,
    [],
    source,
    false,
  );

const idsOf = ({ id, contextId }: RemoteTask): Ids => ({ taskId: id, contextId });

const saidBy = ({ statusMessage }: RemoteTask): string => textOfParts(statusMessage?.parts ?? []);

function said(
  status: string,
  ids: Ids,
  words: { field: Words; text: string },
  source: Source,
  { isError = false, more = {} }: { isError?: boolean; more?: Fields } = {},
): HostResult {
  const { text, cut } = received(words.text, source.secrets);
  const ours = { status, ...more, ...(cut !== undefined && { cut }) };
  return withIds({ ...ours, [words.field]: text }, ids, [words.field], source, isError);
}

/**
 * Ids are the agent's choice, too. Those that are numbers, as almost all are, stand beside the status; any other goes into
 * a fence, since it may spell something.
 */
function withIds(
  value: Fields,
  ids: Ids,
  fields: Words[],
  { agentUrl, secrets }: Source,
  isError: boolean,
): HostResult {
  const given = { task_id: ids.taskId, context_id: ids.contextId };
  const named = Object.entries(given).flatMap(([field, id]) =>
    id === null ? [] : [[field, received(id, secrets).text] as const],
  );
  const spelled = named.filter(([, id]) => !/^[0-9a-f-]{1,64}$/i.test(id)).map(([field]) => field);
  return {
    type: "result",
    value: { ...value, ...Object.fromEntries(named) },
    isError,
    said: { by: `the agent at ${placeOf(agentUrl)} (untrusted)`, fields: [...spelled, ...fields] },
  };
}

const reasonIn = (error: unknown): Fields =>
  NuncioError.is(error) && error.reason !== undefined ? { reason: error.reason } : {};
