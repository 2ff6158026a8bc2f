import { z } from "zod";
import { grantFields, grantObjectSchema } from "../../../../plans/grant-object.js";
import { GRANT_SECONDS, MAX_GRANT_SECONDS } from "../../../../plans/granting.js";
import { operation } from "../../operation.js";
import { id } from "../../schema/fields.js";

/** Answers with the object that goes into the file of the listener; there is no secret in it. */
export const createGrant = operation({
  method: "POST",
  path: "/v1/grants",
  status: 201,
  request: z.strictObject({
    assignment: id,
    ...grantFields,
    peerClient: grantFields.peerClient.default(null),
    credentialFile: z.string().min(1).max(4096),
    expiresInSeconds: z
      .number()
      .int()
      .min(60, "must be at least a minute")
      .max(MAX_GRANT_SECONDS, `must be at most ${MAX_GRANT_SECONDS / 86_400} days`)
      .default(GRANT_SECONDS),
  }),
  response: grantObjectSchema,
  handle: async (wanted, { granting }) => (await granting()).make(wanted),
});
