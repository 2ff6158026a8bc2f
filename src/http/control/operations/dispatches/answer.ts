import { z } from "zod";
import { operator } from "../../../../access/principal.js";
import { newId } from "../../../../shared/ids.js";
import { bodyHash } from "../../../../tasks/body-hash.js";
import type { Message } from "../../../../tasks/message.js";
import { dispatchJson } from "../../dispatch-json.js";
import { findDispatch } from "../../find-dispatch.js";
import { findTask } from "../../find-task.js";
import { operation } from "../../operation.js";
import { dispatch } from "../../schema/dispatch.js";
import { id, messageText } from "../../schema/fields.js";

/** Gives the operator's words to a peer that asks: they are sent once, with an invocation of their own. */
export const answerPeer = operation({
  method: "POST",
  path: "/v1/dispatches/:id/answer",
  request: z.strictObject({ id, text: messageText, revision: z.int().min(1) }),
  response: dispatch,
  async handle({ id, text, revision }, deps) {
    const { tenant } = await findDispatch(deps, id);
    const message: Message = { messageId: newId(), role: "user", parts: [{ text }] };
    const { subject: principal } = operator;
    const known = await deps.peers.store.answer({
      ...{ tenant, taskId: id, revision, message, principal },
      bodyHash: bodyHash(message),
      now: deps.clock.now(),
    });
    return dispatchJson(known, (await findTask(deps.ledger, id)).task);
  },
});
