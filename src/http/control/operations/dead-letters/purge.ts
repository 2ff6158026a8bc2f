import { z } from "zod";
import { operation } from "../../operation.js";
import { id } from "../../schema/fields.js";

const response = z.object({ purged: z.int() });

/** Takes one off the list; the failed task itself stays. */
export const purgeDeadLetter = operation({
  method: "DELETE",
  path: "/v1/dead-letters/:id",
  request: z.strictObject({ id }),
  response,
  handle: ({ id }, { ledger }) => ledger.system.purgeDead({ taskId: id }),
});

export const purgeDeadLetters = operation({
  method: "DELETE",
  path: "/v1/dead-letters",
  request: z.strictObject({}),
  response,
  handle: (_request, { ledger }) => ledger.system.purgeDead({}),
});
