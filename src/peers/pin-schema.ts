import { z } from "zod";
import { PEER_NAME, PEER_NAME_FORM } from "../access/credentials/credential.js";
import { DIGEST, DIGEST_FORM } from "../shared/digest.js";
import { type Shaped, shaped } from "../shared/shaped.js";
import type { Pin } from "./pin.js";

/** More is not a review. */
const MAX_PEERS = 100;
const MAX_FILES = 500;
const MAX_SLOTS = 100;

const text = (max: number) => z.string("must be text").min(1, "must not be empty").max(max, `is longer than ${max}`);
const digest = z.string("must be a digest").regex(DIGEST, DIGEST_FORM);
const list = <T extends z.ZodType>(item: T, max: number) =>
  z.array(item, "must be a list").max(max, `has more than ${max} items`);
const flag = z.boolean("must be true or false");

const pin = z.strictObject(
  {
    schema: z.literal(1, "must be 1, the only one that this version knows"),
    peer: z.string("must be text").regex(PEER_NAME, `must be ${PEER_NAME_FORM}`),
    endpoint: text(2048),
    cardUrl: text(2048),
    addresses: list(text(64), 32),
    local: flag,
    cardDigest: digest,
    cardKeys: list(text(1024), 32),
    card: z.record(z.string(), z.unknown(), "must be a card, as discover prints it"),
    skill: text(256),
    tenant: text(256).nullable(),
    files: list(text(1024), MAX_FILES),
    supports: z.strictObject({ cancel: flag, streaming: flag }, "must be an object"),
    retention: z.enum(["volatile", "durable", "unknown"], "must be volatile, durable or unknown"),
    credentialFile: text(4096),
    credentialDigest: digest,
    slots: z.int("must be a whole number").min(1, "must be at least 1").max(MAX_SLOTS, `must be at most ${MAX_SLOTS}`),
    pinnedAt: z.iso.datetime("must be a time such as 2026-01-31T12:00:00Z"),
  },
  "must be a pin, as nuncio a2a pin prints it",
);

const registry = z.strictObject(
  {
    schema: z.literal(1, "must be 1, the only one that this version knows"),
    peers: z.array(z.unknown(), "must be a list of pins").max(MAX_PEERS, `has more than ${MAX_PEERS} pins`),
  },
  "must be an object",
);

export const shapedPin = (value: unknown): Shaped<Pin> => shaped(pin, value) as Shaped<Pin>;

export const shapedRegistry = (value: unknown): Shaped<{ peers: unknown[] }> => shaped(registry, value);
