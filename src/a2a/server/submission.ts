import { invalidArgument, NuncioError } from "../../shared/errors.js";
import type { JsonObject } from "../../shared/json.js";
import { bodyHash } from "../../tasks/body-hash.js";
import type { Answered, Submitted, TaskLedger } from "../../tasks/ledger.js";
import type { NewPush } from "../../tasks/push-ledger.js";
import type { TaskService } from "../../tasks/task-service.js";
import { hopOf } from "../protocol/delegation-extension.js";
import type { PushWish, SendRequest } from "../protocol/requests.js";
import type { Caller } from "./caller.js";
import { findTask } from "./find-task.js";
import type { PushDesk } from "./push/push-desk.js";

/** Hands a message in as a new task. The same message again gives the task that it made before. */
export function submit(
  tasks: TaskService,
  caller: Caller,
  request: SendRequest,
  waits: boolean,
  answeredByMessage: boolean,
  push: { id: string; push: NewPush } | undefined,
): Promise<Submitted> {
  const { persona, principal } = caller;
  return tasks.submit({
    tenant: persona.tenant,
    persona: persona.name,
    principal: principal.subject,
    trigger: "a2a",
    ...(request.contextId === undefined ? {} : { contextId: request.contextId }),
    message: request.message,
    bodyHash: hashOf(request),
    waits,
    answeredByMessage,
    hop: Math.max(principal.hop ?? 0, hopOf(request.message)),
    ...push,
  });
}

/** Hands a message in as the answer to a task that has stopped to ask. */
export async function answer(
  deps: { tasks: TaskService; ledger: TaskLedger; pushes: PushDesk },
  caller: Caller,
  taskId: string,
  request: SendRequest,
): Promise<Answered> {
  const task = await findTask(deps.ledger, caller, taskId, "task:change");
  if (!caller.persona.followUps) {
    throw new NuncioError("unsupported", "this agent takes no follow-up messages", {
      reason: "UNSUPPORTED_OPERATION",
      hint: "send a message without a task id",
      details: { taskId },
    });
  }
  if (request.contextId !== undefined && request.contextId !== task.contextId) {
    throw invalidArgument("message.contextId", "must be the context of the task, or be left out");
  }
  const { tenant } = task;
  const push = request.push === undefined ? undefined : await deps.pushes.accept({ tenant, taskId }, request.push);
  return deps.tasks.answer({
    tenant,
    taskId,
    principal: caller.principal.subject,
    message: request.message,
    bodyHash: hashOf(request),
    ...(push === undefined ? {} : { push: { push, atMost: deps.pushes.maxPerTask } }),
  });
}

/** The ids that the client named are part of what it said: the same words to another task are another message. */
const hashOf = ({ message, contextId, taskId, metadata, push }: SendRequest): string =>
  bodyHash(message, {
    ...(contextId === undefined ? {} : { contextId }),
    ...(taskId === undefined ? {} : { taskId }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(push === undefined ? {} : { push: pushHash(push) }),
  });

/** As the caller said it, in whichever version. */
const pushHash = ({ id, address: { url, token, schemes, credentials } }: PushWish): JsonObject => ({
  url,
  schemes: [...schemes],
  ...(id === undefined ? {} : { id }),
  ...(token === undefined ? {} : { token }),
  ...(credentials === undefined ? {} : { credentials }),
});
