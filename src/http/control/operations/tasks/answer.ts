import { z } from "zod";
import { operator } from "../../../../access/principal.js";
import { peerOf } from "../../../../plans/assignment.js";
import { NuncioError } from "../../../../shared/errors.js";
import { newId } from "../../../../shared/ids.js";
import { bodyHash } from "../../../../tasks/body-hash.js";
import type { Message } from "../../../../tasks/message.js";
import { findTask } from "../../find-task.js";
import { operation } from "../../operation.js";
import { id, messageId, messageText } from "../../schema/fields.js";
import { taskDetail } from "../../schema/task.js";
import { detailOf } from "../../task-json.js";

/** Answers the question that a task asks, or relays for a task that it delegated. */
export const answerTask = operation({
  method: "POST",
  path: "/v1/tasks/:id/answer",
  request: z.strictObject({ id, text: messageText, messageId: messageId.optional() }),
  response: taskDetail.extend({
    /** The task that got the answer: this one, or the delegated one that asked. */
    answeredId: z.string(),
  }),
  async handle({ id, text, messageId = newId() }, deps) {
    const { tenant, task } = await findTask(deps.ledger, id);
    if (peerOf(task.persona) !== null) throw asksByPeer(id);
    const message: Message = { messageId, role: "user", parts: [{ text }] };
    const { answeredId } = await deps.service.answer({
      tenant,
      taskId: id,
      principal: operator.subject,
      message,
      bodyHash: bodyHash(message),
    });
    return { ...(await detailOf(await findTask(deps.ledger, id), deps)), answeredId };
  },
});

/** What goes to a peer leaves the house: it names what was looked at, and costs an invocation. */
const asksByPeer = (id: string): NuncioError =>
  new NuncioError("failed_precondition", `a peer works on task ${id}: it is answered by a command of its own`, {
    reason: "TASK_OF_PEER",
    hint: `nuncio a2a inspect ${id} shows the revision; then: nuncio a2a answer ${id} --message FILE --revision N`,
  });
