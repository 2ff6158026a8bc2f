import { z } from "zod";
import { keyOf } from "../../key-json.js";
import { operation } from "../../operation.js";
import { apiKey } from "../../schema/key.js";

/** Keys and sessions, or those of one kind. */
export const listKeys = operation({
  method: "GET",
  path: "/v1/keys",
  request: z.strictObject({ kind: z.enum(["key", "session"]).optional() }),
  response: z.object({ keys: z.array(apiKey) }),
  async handle({ kind }, { access }) {
    const keys = await access.keys.listKeys();
    return { keys: keys.filter((key) => kind === undefined || key.kind === kind).map(keyOf) };
  },
});
