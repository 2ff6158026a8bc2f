import { z } from "zod";
import { object, text } from "../fields.js";

export const storage = z.discriminatedUnion(
  "type",
  [
    object({ type: z.literal("sqlite") }),
    object({ type: z.literal("postgres"), url: text("a postgres:// URL", 2048) }),
  ],
  { error: "use type: sqlite or postgres" },
);
