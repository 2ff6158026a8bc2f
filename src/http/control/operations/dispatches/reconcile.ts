import { z } from "zod";
import { reconcile } from "../../../../peers/reconcile.js";
import { isTerminal } from "../../../../tasks/task-state.js";
import { dispatchJson } from "../../dispatch-json.js";
import { findDispatch } from "../../find-dispatch.js";
import { findTask } from "../../find-task.js";
import { operation } from "../../operation.js";
import { dispatch } from "../../schema/dispatch.js";
import { id } from "../../schema/fields.js";

/** Finds out what can be found out about the known remote task. Nothing is ever sent again. */
export const reconcileDispatch = operation({
  method: "POST",
  path: "/v1/dispatches/:id/reconcile",
  request: z
    .strictObject({ id, runId: id, cancel: z.boolean().default(false), releaseSlot: z.boolean().default(false) })
    .refine(({ cancel, releaseSlot }) => !(cancel && releaseSlot), {
      message: "cannot be combined with releaseSlot",
      path: ["cancel"],
    }),
  response: dispatch,
  async handle({ id, runId, cancel, releaseSlot }, deps) {
    const { task, tenant } = await findDispatch(deps, id);
    const command = { tenant, taskId: id, runId, cancel, releaseSlot, ended: isTerminal(task.state) };
    const known = await reconcile(deps.peers, command);
    return dispatchJson(known, (await findTask(deps.ledger, id)).task);
  },
});
