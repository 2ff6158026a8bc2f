import { z } from "zod";
import { peerOf } from "../../../../plans/assignment.js";
import { NuncioError } from "../../../../shared/errors.js";
import { findTask } from "../../find-task.js";
import { operation } from "../../operation.js";
import { id } from "../../schema/fields.js";
import { taskSummary } from "../../schema/task.js";
import { summaryOf } from "../../task-json.js";

/** The work is done again, once, by a new task that names the dead one; that stays as it is. */
export const retryDeadLetter = operation({
  method: "POST",
  path: "/v1/dead-letters/:id/retry",
  status: 201,
  request: z.strictObject({ id }),
  response: taskSummary,
  async handle({ id }, { ledger, service, planned }) {
    const { tenant, task: dead } = await findTask(ledger, id);
    if (peerOf(dead.persona) !== null) throw ofPeer(id);
    const planId = await (await planned()).planOf(dead);
    if (planId !== null) throw ofPlan(id, planId);
    const { task } = await service.retryDead({ tenant, taskId: id });
    return summaryOf(task);
  },
});

/** A new task would stand outside of the allowance that was given for it. */
const ofPlan = (id: string, planId: string): NuncioError =>
  new NuncioError("failed_precondition", `task ${id} was done for planned task ${planId}: a run does it again`, {
    reason: "TASK_OF_PLAN",
    hint: `nuncio team list ${planId} shows the assignments; nuncio team run makes a new run`,
  });

/** A second prompt to a peer is a run of its own, which takes a slot, an invocation and a look at the planned task. */
const ofPeer = (id: string): NuncioError =>
  new NuncioError("failed_precondition", `a peer was to work on task ${id}: it is not done again by itself`, {
    reason: "TASK_OF_PEER",
    hint: `look at it with nuncio a2a inspect ${id}; nuncio team run makes a new run of its assignment`,
  });
