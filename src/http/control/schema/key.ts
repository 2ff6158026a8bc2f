import { z } from "zod";
import { SCOPES } from "../../../access/principal.js";
import { timestamp } from "./fields.js";

export const apiKey = z.object({
  id: z.string(),
  name: z.string(),
  tenant: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  createdAt: timestamp,
  expiresAt: timestamp.nullable(),
  revokedAt: timestamp.nullable(),
});

export type ApiKeyJson = z.output<typeof apiKey>;
