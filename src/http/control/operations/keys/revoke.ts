import { z } from "zod";
import { operation } from "../../operation.js";
import { id } from "../../schema/fields.js";

/** In force for the next request; revoking twice is no error. */
export const revokeKey = operation({
  method: "DELETE",
  path: "/v1/keys/:id",
  request: z.strictObject({ id }),
  response: z.object({ id: z.string(), revoked: z.literal(true) }),
  async handle({ id }, { access, clock }) {
    await access.keys.revokeKey({ id, now: clock.now() });
    return { id, revoked: true as const };
  },
});
