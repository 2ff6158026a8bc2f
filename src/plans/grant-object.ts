import { z } from "zod";
import { PEER_NAME, PEER_NAME_FORM } from "../access/credentials/credential.js";
import { DIGEST, DIGEST_FORM } from "../shared/digest.js";
import { type Shaped, shaped } from "../shared/shaped.js";
import { type Grant, PEER_CLIENTS } from "./grant.js";

/** What a grant says of itself, in the file of the listener and to the operator: nothing in it is a secret. */
export type GrantObject = z.output<typeof grantObjectSchema>;

/** Names that go over the wire and are shown in tables: without what cannot be seen. */
const label = z
  .string("must be text")
  .regex(/^[^\p{Cc}\p{Cf}\p{Surrogate}\s](?:[^\p{Cc}\p{Cf}\p{Surrogate}]{0,126}[^\p{Cc}\p{Cf}\p{Surrogate}\s])?$/u, {
    error: "must be 1 to 128 visible characters",
  });

export const grantFields = {
  peer: z.string("must be text").regex(PEER_NAME, `must be ${PEER_NAME_FORM}`),
  tenant: label,
  skill: label,
  peerClient: z.enum(PEER_CLIENTS, `must be ${PEER_CLIENTS.join(" or ")}`).nullable(),
};

const id = z.string("must be text").min(1, "must not be empty").max(128, "is longer than 128 characters");
const time = z.iso.datetime("must be a time such as 2026-01-31T12:00:00.000Z");

export const grantObjectSchema = z.strictObject(
  {
    schema: z.literal(1, "must be 1, the only one that this version knows"),
    id,
    assignment: id,
    generation: z.int("must be a whole number").min(0, "must be at least 0"),
    ...grantFields,
    credentialFile: z.string("must be text").min(1, "must not be empty").max(4096, "is longer than 4096 characters"),
    credentialDigest: z.string("must be a digest").regex(DIGEST, DIGEST_FORM),
    createdAt: time,
    expiresAt: time,
  },
  "must be a grant, as nuncio a2a grant prints it",
);

export const shapedGrant = (value: unknown): Shaped<GrantObject> => shaped(grantObjectSchema, value);

/** @param credentialFile where the operator keeps the token: it says nothing to anybody else, and is not looked at again */
export const grantObject = (grant: Grant, credentialFile: string): GrantObject => ({
  schema: 1,
  id: grant.id,
  assignment: grant.assignmentId,
  generation: grant.generation,
  peer: grant.peer,
  tenant: grant.interfaceTenant,
  skill: grant.skill,
  peerClient: grant.peerClient,
  credentialFile,
  credentialDigest: grant.credentialDigest,
  createdAt: new Date(grant.createdAt).toISOString(),
  expiresAt: new Date(grant.expiresAt).toISOString(),
});

/** The field in which an object is not what was granted; null when it is. */
export function differsFrom(object: GrantObject, grant: Grant): string | null {
  const granted = grantObject(grant, object.credentialFile);
  return (Object.keys(granted) as (keyof GrantObject)[]).find((field) => object[field] !== granted[field]) ?? null;
}
