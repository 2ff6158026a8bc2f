import { z } from "zod";
import { operation } from "../../operation.js";
import { id } from "../../schema/fields.js";

/** Takes a planned task out of the ledger, complete or not. The tasks that did its work stay, and are ordinary from then on. */
export const purgePlannedTask = operation({
  method: "DELETE",
  path: "/v1/planned-tasks/:id",
  request: z.strictObject({ id }),
  response: z.object({ id: z.string(), purged: z.literal(true) }),
  async handle({ id }, { planned }) {
    await (await planned()).purge(id);
    return { id, purged: true as const };
  },
});
