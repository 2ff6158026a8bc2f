import { z } from "zod";
import { timestamp } from "./fields.js";

export const tenant = z.object({
  name: z.string(),
  /** Null for one that is there because the configuration has a persona in it. */
  createdAt: timestamp.nullable(),
  /** Personas that this daemon hosts in it. */
  personas: z.int(),
  /** Keys and sessions that are good now. */
  keys: z.int(),
});

export type TenantJson = z.output<typeof tenant>;
