import type { z } from "zod";
import { list, object, oneOf, text } from "../fields.js";

const PROFILE_NAME =
  /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?\/[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?$/;

/** How assignments of planned tasks are worked on, besides the built-in `nuncio/…`. */
export const profiles = list(
  object({
    name: text("a name such as acme/auditor", 129)
      .regex(PROFILE_NAME, { error: "use two names with a slash between them, such as acme/auditor" })
      .refine((value) => !value.startsWith("nuncio/"), {
        error: "is a name of the built-in profiles; use one of your own, such as acme/auditor",
      }),
    kind: oneOf("analysis", "build", "test"),
    text: text("how the work is to be done", 32_768).optional(),
    textFile: text("the path of a text file").optional(),
  }),
  200,
);

export type ProfileSettings = z.output<typeof profiles>[number];
