import { z } from "zod";
import { httpUrl, list, name, object } from "../fields.js";

export const channels = list(
  z.discriminatedUnion(
    "type",
    [
      object({ name: name(), type: z.literal("slack-webhook"), url: httpUrl() }),
      object({ name: name(), type: z.literal("webhook"), url: httpUrl() }),
      object({ name: name(), type: z.literal("log") }),
    ],
    { error: "use type: slack-webhook, webhook or log" },
  ),
);
