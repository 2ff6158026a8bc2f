import { httpUrl, object, text } from "../fields.js";

/** What all cards say of whoever runs the agents, and what they are signed with. */
export const cards = object({
  signingKeyFile: text("the path of a file").optional(),
  provider: object({ organization: text("a name", 256), url: httpUrl() }).optional(),
  documentationUrl: httpUrl().optional(),
  iconUrl: httpUrl().optional(),
});
