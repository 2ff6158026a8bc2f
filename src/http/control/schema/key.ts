import { z } from "zod";
import { KEY_NAME } from "../../../access/api-key.js";
import { SCOPES } from "../../../access/principal.js";
import { timestamp } from "./fields.js";

export const apiKey = z.object({
  id: z.string(),
  kind: z.enum(["key", "session"]),
  name: z.string(),
  tenant: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  createdAt: timestamp,
  expiresAt: timestamp.nullable(),
  revokedAt: timestamp.nullable(),
});

export type ApiKeyJson = z.output<typeof apiKey>;

export const keyName = z.string().regex(KEY_NAME, "must be 1 to 100 letters, digits, dots, dashes, underscores or @");

export const scopes = z.array(z.enum(SCOPES)).min(1).max(SCOPES.length).default(["runs:execute"]);
