import { z } from "zod";
import { flag, list, object, text, wholeNumber } from "../fields.js";
import { oidc } from "./oidc.js";

const trustDomain = () =>
  z
    .string({ error: "use a SPIFFE trust domain such as example.com, in lower case" })
    .regex(/^[a-z0-9](?:[a-z0-9._-]{0,253}[a-z0-9])?$/);

export const access = object({
  anonymous: flag().default(false),
  trustDomain: trustDomain().optional(),
  trustBundles: z
    .record(trustDomain(), object({ jwksFile: text("the path of a file") }), {
      error: "use a map of trust domains, each with jwksFile",
    })
    .default({}),
  oidc: list(oidc, 20).default([]),
  /** All of them count in this process. */
  limits: object({
    /** Of each caller; without it, no limit. */
    requestsPerMinute: wholeNumber(1, 1_000_000).optional(),
    /** Streams and waiting calls that each caller may have open at a time. */
    streams: wholeNumber(1, 1_000_000).default(10_000),
    /** Requests without a valid credential, of each remote address. */
    unauthenticatedPerMinute: wholeNumber(1, 1_000_000).default(6_000),
  }).prefault({}),
  /** Keys that seal what is stored of secrets. Default: `keys/sealing.json` under the data directory. */
  sealingKeyFile: text("the path of a file").optional(),
});
