import { z } from "zod";
import { operation } from "../../operation.js";
import { personaOf } from "../../persona-json.js";
import { personaSummary } from "../../schema/persona.js";

export const listPersonas = operation({
  method: "GET",
  path: "/v1/personas",
  request: z.strictObject({}),
  response: z.object({ personas: z.array(personaSummary) }),
  handle: (_request, { personas, info }) => ({ personas: personas.all().map((persona) => personaOf(persona, info())) }),
});
