import { z } from "zod";
import { keyOf } from "../../key-json.js";
import { operation } from "../../operation.js";
import { apiKey } from "../../schema/key.js";

export const listKeys = operation({
  method: "GET",
  path: "/v1/keys",
  request: z.strictObject({}),
  response: z.object({ keys: z.array(apiKey) }),
  handle: async (_request, { access }) => ({ keys: (await access.listKeys()).map(keyOf) }),
});
