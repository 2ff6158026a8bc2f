import { z } from "zod";
import { grantJson } from "../../grant-json.js";
import { operation } from "../../operation.js";
import { id } from "../../schema/fields.js";
import { grant } from "../../schema/grant.js";

/** In force for the next request, and for streams that are open; what the peer has begun goes on. */
export const revokeGrant = operation({
  method: "DELETE",
  path: "/v1/grants/:id",
  request: z.strictObject({ id }),
  response: grant,
  handle: async ({ id }, { granting, clock }) => grantJson(await (await granting()).revoke(id), clock.now()),
});
