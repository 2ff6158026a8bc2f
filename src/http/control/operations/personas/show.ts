import { z } from "zod";
import { findPersona } from "../../find-persona.js";
import { operation } from "../../operation.js";
import { personaDetailOf } from "../../persona-json.js";
import { tenantName } from "../../schema/fields.js";
import { personaDetail } from "../../schema/persona.js";

export const showPersona = operation({
  method: "GET",
  path: "/v1/personas/:name",
  request: z.strictObject({ name: z.string(), tenant: tenantName }),
  response: personaDetail,
  handle: ({ name, tenant }, { personas, info }) => personaDetailOf(findPersona(personas, tenant, name), info()),
});
