import { z } from "zod";
import { operation } from "../operation.js";
import { reloaded } from "../schema/reload.js";

/** Takes the configuration file as it is now; one with a fault in it changes nothing. */
export const reload = operation({
  method: "POST",
  path: "/v1/reload",
  request: z.strictObject({}),
  response: reloaded,
  handle: (_request, { reload }) => reload(),
});
