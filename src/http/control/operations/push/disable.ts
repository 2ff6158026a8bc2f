import { z } from "zod";
import { operation } from "../../operation.js";
import { decideOn, pushOf } from "../../push-json.js";
import { id } from "../../schema/fields.js";
import { push } from "../../schema/push.js";

/** Nothing more is told until somebody enables it again; what it is owed stays. */
export const disablePush = operation({
  method: "POST",
  path: "/v1/tasks/:id/pushes/disable",
  request: z.strictObject({
    id,
    pushId: z.string().min(1).max(256).optional(),
    reason: z.string().min(1).max(500).default("disabled by the operator"),
  }),
  response: z.object({ pushes: z.array(push) }),
  async handle({ reason, ...request }, { ledger, a2a, clock }) {
    const now = clock.now();
    const off = await decideOn(ledger, request, (choice) => ledger.system.push.disable({ ...choice, now, reason }));
    return { pushes: off.map((each) => pushOf(each, a2a.operations.pushes)) };
  },
});
