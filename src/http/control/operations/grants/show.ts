import { z } from "zod";
import { grantJson } from "../../grant-json.js";
import { operation } from "../../operation.js";
import { id, toTimestamp } from "../../schema/fields.js";
import { grantDetail } from "../../schema/grant.js";

/** With the receipts of what arrived by it. */
export const showGrant = operation({
  method: "GET",
  path: "/v1/grants/:id",
  request: z.strictObject({ id }),
  response: grantDetail,
  async handle({ id }, { granting, peers, clock }) {
    const grant = await (await granting()).show(id);
    const receipts = grant.spent === null ? [] : await peers.store.receipts(grant.tenant, grant.spent.taskId);
    return {
      ...grantJson(grant, clock.now()),
      receipts: receipts.map(({ at, ...receipt }) => ({ ...receipt, at: toTimestamp(at) })),
    };
  },
});
