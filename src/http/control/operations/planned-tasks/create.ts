import { z } from "zod";
import { operation } from "../../operation.js";
import { plannedDetailOf } from "../../planned-task-json.js";
import { newTenantName } from "../../schema/fields.js";
import { plannedTask } from "../../schema/planned-task.js";

/** Admits a plan with the files of a directory as they are now. The daemon reads them. */
export const createPlannedTask = operation({
  method: "POST",
  path: "/v1/planned-tasks",
  status: 201,
  request: z.strictObject({
    /** The text of the plan file, in YAML or JSON. */
    plan: z
      .string()
      .min(1)
      .max(512 * 1024),
    /** How errors call it. */
    file: z.string().min(1).max(4096).default("plan"),
    /** An absolute path. */
    workspace: z.string().min(1).max(4096),
    tenant: newTenantName.default("default"),
  }),
  response: plannedTask,
  async handle({ plan: text, file, workspace, tenant }, deps) {
    const planned = await deps.planned();
    return plannedDetailOf(await planned.create({ text, file, workspace, tenant }), deps);
  },
});
