import type { Outbound } from "../../outbound/outbound.js";
import type { Channel } from "./channel.js";
import { postJson } from "./post-json.js";

/** Any program that takes JSON: `{ text, persona, tenant, taskId }`. */
export const webhook = (name: string, url: string, outbound: () => Promise<Pick<Outbound, "fetch">>): Channel => ({
  name,
  post: async (post, signal) => postJson(await outbound(), url, post, signal),
});
