import type { Dispatch } from "../../peers/dispatch.js";
import type { Task } from "../../tasks/task.js";
import type { DispatchJson } from "./schema/dispatch.js";
import { toOptionalTimestamp, toTimestamp } from "./schema/fields.js";

export function dispatchJson(dispatch: Dispatch, task: Pick<Task, "state">): DispatchJson {
  const { facts, result, remote } = dispatch;
  return {
    taskId: dispatch.taskId,
    tenant: dispatch.tenant,
    taskState: task.state,
    runId: dispatch.runId,
    revision: dispatch.revision,
    peer: dispatch.peer,
    plannedTaskId: dispatch.planId,
    assignmentId: dispatch.assignmentId,
    pinDigest: dispatch.pinDigest,
    state: dispatch.state,
    remoteTaskId: dispatch.remoteTaskId,
    remoteContextId: dispatch.remoteContextId,
    remoteState: remote?.state ?? null,
    remoteStateAt: toOptionalTimestamp(remote?.at ?? null),
    holdsSlot: dispatch.holdsSlot,
    facts: factsJson(facts),
    usage: { modelRequests: "unobserved", tokens: "unobserved", processes: "unobserved" },
    invocations: dispatch.sends.length,
    sends: dispatch.sends.map(({ disclosed, intendedAt, settledAt, ...send }) => ({
      ...send,
      disclosed: [...disclosed],
      intendedAt: toTimestamp(intendedAt),
      settledAt: toOptionalTimestamp(settledAt),
    })),
    result: result && {
      verified: false,
      artifacts: result.artifacts.map(({ name, digest, bytes }) => ({ name, digest, bytes })),
      message: result.message,
      leftOut: [...result.leftOut],
    },
    lastContactAt: toOptionalTimestamp(dispatch.lastContactAt),
    lastError: dispatch.lastError,
    createdAt: toTimestamp(dispatch.createdAt),
    updatedAt: toTimestamp(dispatch.updatedAt),
  };
}

function factsJson(facts: Dispatch["facts"]): DispatchJson["facts"] {
  const { remoteTerminal, localCleanup, cancelAcknowledgement: cancel, streamClosed: stream, localDeadline } = facts;
  return {
    remoteTerminal: remoteTerminal && { state: remoteTerminal.state, at: toTimestamp(remoteTerminal.at) },
    localCleanup: localCleanup && { at: toTimestamp(localCleanup.at) },
    cancelAcknowledgement: cancel && {
      askedAt: toTimestamp(cancel.askedAt),
      answer: cancel.answer,
      answeredAt: toOptionalTimestamp(cancel.answeredAt),
    },
    streamClosed: stream && {
      openedAt: toTimestamp(stream.openedAt),
      closedAt: toOptionalTimestamp(stream.closedAt),
      end: stream.end,
    },
    localDeadline: localDeadline && {
      at: toTimestamp(localDeadline.at),
      passedAt: toOptionalTimestamp(localDeadline.passedAt),
    },
  };
}
