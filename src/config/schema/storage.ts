import { z } from "zod";
import { object, text, wholeNumber } from "../fields.js";

/** What PostgreSQL takes for the name of a schema without quotes. */
const SCHEMA_NAME = /^[a-z_][a-z0-9_]{0,62}$/;

export const storage = z.discriminatedUnion(
  "type",
  [
    object({ type: z.literal("sqlite") }),
    object({
      type: z.literal("postgres"),
      url: text("a postgres:// URL", 2048).refine((url) => /^postgres(?:ql)?:\/\/./.test(url), {
        error: "is not a URL of PostgreSQL; use postgres://user:password@host:port/database",
      }),
      schema: z
        .string({ error: "use the name of a schema" })
        .regex(SCHEMA_NAME, { error: "use 1 to 63 lower-case letters, digits and _, not a digit first" })
        .default("nuncio"),
      poolSize: wholeNumber(1, 200).default(10),
    }),
  ],
  { error: "use type: sqlite or postgres" },
);
