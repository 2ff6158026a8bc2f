import { NuncioError } from "../../../shared/errors.js";
import { isSettled } from "../../../tasks/follow.js";
import { checkTenant, requireExecute, throwReason } from "./call-checks.js";
import type { Operation } from "./operation.js";
import { refuseUnofferedPush } from "./push-offered.js";
import { withTimeLimit } from "./time-limit.js";

/** Send Message (A2A 1.0, 3.1.1; 0.3, 7.1). */
export const send: Operation = async ({ caller, version, codec, params, closed }, { core, blockingTimeoutMs }) => {
  const request = codec.readSend(params);
  checkTenant(caller, request.interfaceTenant);
  requireExecute(caller);
  refuseUnofferedPush(caller, request.push);
  const gone = closed();
  const sent =
    version === "0.3"
      ? await withTimeLimit(gone, blockingTimeoutMs, (end) => core.sendMessage(caller, request, end))
      : await core.sendMessage(caller, request, gone);
  throwReason(gone);
  if (sent.type === "message") return { type: "json", text: codec.sentMessage(sent.message, sent.contextId) };
  if (request.blocking && !isSettled(sent.task) && gone.aborted) throw goingAway();
  if (sent.unlisted === true) await core.enlist(sent.task);
  return { type: "json", text: codec.sentTask(sent.task, request.historyLength) };
};

/** Instead of half an answer: the work is safe, and whoever sends the same message again waits for the same task. */
const goingAway = (): NuncioError =>
  new NuncioError("unavailable", "the server ended the wait before the task was settled", {
    hint: "send the same message again: it continues to wait for the same task",
  });
