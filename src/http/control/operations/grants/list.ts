import { z } from "zod";
import { grantJson } from "../../grant-json.js";
import { operation } from "../../operation.js";
import { id } from "../../schema/fields.js";
import { grant } from "../../schema/grant.js";

/** Newest first: all of them, or those for one assignment. */
export const listGrants = operation({
  method: "GET",
  path: "/v1/grants",
  request: z.strictObject({ assignment: id.optional() }),
  response: z.object({ grants: z.array(grant) }),
  async handle({ assignment }, { granting, clock }) {
    const desk = await granting();
    const grants = await desk.list(assignment === undefined ? {} : { assignmentId: assignment });
    return { grants: grants.map((one) => grantJson(one, clock.now())) };
  },
});
