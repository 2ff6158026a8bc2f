import type { Outbound } from "../../outbound/outbound.js";
import type { Channel } from "./channel.js";
import { postJson } from "./post-json.js";

/** An incoming webhook of Slack, or of what speaks like it: `{ text }`. */
export const slackWebhook = (name: string, url: string, outbound: () => Promise<Pick<Outbound, "fetch">>): Channel => ({
  name,
  post: async ({ text }, signal) => postJson(await outbound(), url, { text: escaped(text) }, signal),
});

/** In Slack's markup `<…>` calls people and hides where a link leads. What an agent says is text. */
const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
