import { z } from "zod";
import { list, name, object, text } from "../fields.js";

/** Whoever knows it can post to it: no message repeats it. */
const webhookUrl = () =>
  text("an http:// or https:// URL", 2048).refine(isWebhookUrl, {
    error: "is not the URL of a webhook; use http:// or https:// with a host, without user and #",
  });

function isWebhookUrl(candidate: string): boolean {
  if (!/^https?:\/\//i.test(candidate) || /[\s\p{Cc}#]/u.test(candidate) || !URL.canParse(candidate)) return false;
  const { username, password } = new URL(candidate);
  return username === "" && password === "";
}

export const channels = list(
  z.discriminatedUnion(
    "type",
    [
      object({ name: name(), type: z.literal("slack-webhook"), url: webhookUrl() }),
      object({ name: name(), type: z.literal("webhook"), url: webhookUrl() }),
      object({ name: name(), type: z.literal("log") }),
    ],
    { error: "use type: slack-webhook, webhook or log" },
  ),
);
