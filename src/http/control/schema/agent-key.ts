import { z } from "zod";
import { timestamp } from "./fields.js";

/** A public key, as JSON Web Keys are written (RFC 7517). */
const publicKey = z.object({
  kty: z.literal("EC"),
  crv: z.literal("P-256"),
  x: z.string(),
  y: z.string(),
  kid: z.string(),
  alg: z.literal("ES256"),
  use: z.string(),
});

/** A SPIFFE bundle: the document is what a partner puts into a file. */
export const keyBundle = z.object({ spiffe_refresh_hint: z.int(), keys: z.array(publicKey) });

export const agentToken = z.object({
  token: z.string(),
  subject: z.string(),
  audience: z.string(),
  expiresAt: timestamp,
});

export const rotatedKey = z.object({
  agent: z.string(),
  /** The key that signs from now on. */
  kid: z.string(),
  /** Those before it, and until when what they have signed counts. */
  retired: z.array(z.object({ kid: z.string(), acceptedUntil: timestamp })),
});

export type KeyBundleJson = z.output<typeof keyBundle>;
export type AgentTokenJson = z.output<typeof agentToken>;
export type RotatedKeyJson = z.output<typeof rotatedKey>;
