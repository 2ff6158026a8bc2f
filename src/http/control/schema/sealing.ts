import { z } from "zod";

export const rotatedSealing = z.object({
  /** Id of the new key. */
  key: z.string(),
  /** How many texts were sealed anew. */
  resealed: z.int(),
  /** Texts that no key opens: they were lost before, and stay as they are. */
  unreadable: z.int(),
  /** Ids of the keys that are gone. */
  dropped: z.array(z.string()),
});

export type RotatedSealing = z.output<typeof rotatedSealing>;
