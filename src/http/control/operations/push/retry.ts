import { z } from "zod";
import { operation } from "../../operation.js";
import { decideOn, pushOf } from "../../push-json.js";
import { id } from "../../schema/fields.js";
import { push } from "../../schema/push.js";

/** Enables what was given up or disabled, and makes it due at once. */
export const retryPush = operation({
  method: "POST",
  path: "/v1/tasks/:id/pushes/retry",
  request: z.strictObject({ id, pushId: z.string().min(1).max(256).optional() }),
  response: z.object({ pushes: z.array(push) }),
  async handle(request, { ledger, a2a, clock }) {
    const now = clock.now();
    const due = await decideOn(ledger, request, (choice) => ledger.system.push.retry({ ...choice, now }));
    return { pushes: due.map((each) => pushOf(each, a2a.operations.pushes)) };
  },
});
