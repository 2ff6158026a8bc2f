import { z } from "zod";
import { dispatchJson } from "../../dispatch-json.js";
import { findDispatch } from "../../find-dispatch.js";
import { operation } from "../../operation.js";
import { dispatchDetail } from "../../schema/dispatch.js";
import { id, toTimestamp } from "../../schema/fields.js";
import { whyOf } from "../../task-json.js";

/** Looks at what is written down; the peer is not asked. */
export const showDispatch = operation({
  method: "GET",
  path: "/v1/dispatches/:id",
  request: z.strictObject({ id }),
  response: dispatchDetail,
  async handle({ id }, deps) {
    const { dispatch, task, tenant } = await findDispatch(deps, id);
    const [receipts, facts] = await Promise.all([
      deps.peers.store.receipts(tenant, id),
      deps.ledger.system.queueFacts(tenant, id),
    ]);
    return {
      ...dispatchJson(dispatch, task),
      receipts: receipts.map(({ at, ...receipt }) => ({ ...receipt, at: toTimestamp(at) })),
      why: facts === null ? null : await whyOf(facts, deps),
    };
  },
});
