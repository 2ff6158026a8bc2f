import { type CredentialType, PEER_NAME, TOKEN } from "./credential.js";

/**
 * A credential as its file has it: `{ "schema": 1, "type": …, … }`, where a type that is not named is `bearer`. The secret
 * stands in its own field, or, sealed, in `sealed`.
 */
export interface CredentialJson {
  type: CredentialType;
  /** All but `schema`, `type` and the secret. */
  facts: Record<string, string>;
  secret: { plain: string } | { sealed: string } | null;
}

interface Shape {
  /** The field of the secret. */
  secret: { field: string; is: RegExp } | null;
  required: Record<string, RegExp>;
  optional: Record<string, RegExp>;
}

const PRINTABLE = /^[\x20-\x7e]{1,4096}$/;
const HEADER = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/;
const SEALED = /^s1\.[A-Za-z0-9_-]{1,40}\.[A-Za-z0-9_-]{1,16384}$/;

export const SHAPES: Record<CredentialType, Shape> = {
  bearer: { secret: { field: "token", is: TOKEN }, required: { peer: PEER_NAME }, optional: {} },
  apiKey: { secret: { field: "value", is: PRINTABLE }, required: { header: HEADER }, optional: {} },
  oauth2ClientCredentials: {
    secret: { field: "clientSecret", is: PRINTABLE },
    required: { tokenUrl: /^https?:\/\/[\x21-\x7e]{1,2048}$/, clientId: PRINTABLE },
    optional: { scope: PRINTABLE },
  },
  agentToken: { secret: null, required: {}, optional: {} },
};

/** Headers that the protocol itself sets, or that say where a request ends. */
const NOT_A_CREDENTIAL = new Set([
  ...["host", "connection", "content-length", "content-type", "transfer-encoding", "te", "trailer", "upgrade"],
  ...["expect", "accept", "accept-encoding", "user-agent", "a2a-version", "a2a-extensions"],
]);

/** What is wrong comes back as a phrase that follows the name of the file; no value is in it. */
export function parseCredential(value: unknown): CredentialJson | { problem: string } {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { problem: "is not a JSON object" };
  const { schema, type = "bearer", ...fields } = value as Record<string, unknown>;
  if (schema !== 1) return { problem: 'does not say "schema": 1, the only one that this version knows' };
  if (typeof type !== "string" || !Object.hasOwn(SHAPES, type)) {
    return { problem: `has no "type" that is known: ${Object.keys(SHAPES).join(", ")}` };
  }
  const shape = SHAPES[type as CredentialType];
  const secretFields = shape.secret === null ? [] : [shape.secret.field, "sealed"];
  const known = [...Object.keys(shape.required), ...Object.keys(shape.optional), ...secretFields];
  const unknown = Object.keys(fields).find((field) => !known.includes(field));
  if (unknown !== undefined) return { problem: `has the unknown field ${JSON.stringify(unknown.slice(0, 40))}` };

  const facts: Record<string, string> = {};
  for (const [field, is] of Object.entries({ ...shape.required, ...shape.optional })) {
    const given = fields[field];
    if (given === undefined && field in shape.optional) continue;
    if (typeof given !== "string" || !is.test(given)) return { problem: `has no valid "${field}"` };
    facts[field] = given;
  }
  if (facts.header !== undefined && NOT_A_CREDENTIAL.has(facts.header.toLowerCase())) {
    return { problem: 'names in "header" one that carries no credential' };
  }
  if (shape.secret === null) return { type: type as CredentialType, facts, secret: null };
  const { field, is } = shape.secret;
  const plain = fields[field];
  const { sealed } = fields;
  if ((plain === undefined) === (sealed === undefined)) return { problem: `must have one of "${field}" and "sealed"` };
  if (sealed !== undefined) {
    if (typeof sealed !== "string" || !SEALED.test(sealed)) return { problem: 'has no valid "sealed"' };
    return { type: type as CredentialType, facts, secret: { sealed } };
  }
  if (typeof plain !== "string" || !is.test(plain)) return { problem: `has no valid "${field}": ${WANTED[field]}` };
  return { type: type as CredentialType, facts, secret: { plain } };
}

const WANTED: Record<string, string> = {
  token: "one word of printable ASCII, at least 16 characters",
  value: "one line of printable ASCII",
  clientSecret: "one line of printable ASCII",
};

export function credentialText({ type, facts, secret }: CredentialJson): string {
  const field = SHAPES[type].secret?.field ?? "";
  const document = {
    schema: 1,
    ...(type !== "bearer" && { type }),
    ...facts,
    ...(secret !== null && ("plain" in secret ? { [field]: secret.plain } : { sealed: secret.sealed })),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** What a secret is sealed for: it can be opened in no file of another type or another peer. */
export const sealPurpose = ({ type, facts }: Pick<CredentialJson, "type" | "facts">): string =>
  `credential ${type} ${facts.peer ?? facts.header ?? facts.clientId ?? ""}`;
