import { isIPv4 } from "node:net";
import { z } from "zod";
import { type GrantObject, shapedGrant } from "../../../plans/grant-object.js";
import { fileRefused, readOwnerJson } from "../../../shared/owner-json.js";
import { shaped } from "../../../shared/shaped.js";

/** What the operator wrote of the listener for peers: `{ "schema": 1, "host", "port", "grants": [ … ] }`. */
export interface ListenerFile {
  /** Of this machine, and reached from it alone. */
  host: string;
  /** 0 takes a free one. */
  port: number;
  /** Where peers reach it, through a tunnel or a proxy; without it, by its own address. */
  publicUrl: string | null;
  grants: readonly GrantObject[];
}

const MAX_GRANTS = 256;
const MAX_BYTES = 1024 * 1024;

const MEND = "put the objects that nuncio a2a grant prints, as they are, between the brackets of grants";
const FORM = 'write it as { "schema": 1, "host": "127.0.0.1", "port": 4388, "grants": [ … ] }';

const schema = z.strictObject(
  {
    schema: z.literal(1, "must be 1, the only one that this version knows"),
    host: z
      .string("must be text")
      .refine(isLoopback, "must be 127.0.0.1 or ::1: others reach it through a tunnel or a TLS proxy"),
    port: z.int("must be a port").min(0, "must be a port").max(65_535, "must be a port"),
    publicUrl: z
      .string("must be text")
      .max(2048, "is longer than 2048 characters")
      .refine(isBaseUrl, "must be a URL such as https://agents.example.com, without a query")
      .optional(),
    grants: z.array(z.unknown(), "must be a list of grants").max(MAX_GRANTS, `has more than ${MAX_GRANTS} grants`),
  },
  "must be an object",
);

/** @throws NuncioError with the path, the reason and what mends it */
export function readListenerFile(file: string): ListenerFile {
  const make = `umask 077; echo '{ "schema": 1, "host": "127.0.0.1", "port": 4388, "grants": [] }' > ${file}`;
  const read = parseListener(readOwnerJson(file, MAX_BYTES, { make, mend: FORM }));
  if ("problem" in read) {
    const mend = read.field.startsWith("grants") ? MEND : FORM;
    throw fileRefused(file, `cannot be taken: ${`${read.field} ${read.problem}`.trim()}`, mend);
  }
  return read;
}

/** What the content of such a file says, or what is wrong with it. */
function parseListener(value: unknown): ListenerFile | { field: string; problem: string } {
  const read = shaped(schema, value);
  if (!("value" in read)) return read;
  const { host, port, publicUrl } = read.value;
  const grants: GrantObject[] = [];
  for (const [at, given] of read.value.grants.entries()) {
    const grant = shapedGrant(given);
    const problem = "value" in grant ? clash(grant.value, grants) : grant;
    if (problem !== null)
      return { field: [`grants[${at}]`, problem.field].filter(Boolean).join("."), problem: problem.problem };
    grants.push((grant as { value: GrantObject }).value);
  }
  return { host, port, publicUrl: publicUrl?.replace(/\/$/, "") ?? null, grants };
}

/** The credential alone says which grant is meant. */
function clash(grant: GrantObject, others: readonly GrantObject[]): { field: string; problem: string } | null {
  if (others.some(({ id }) => id === grant.id)) return { field: "id", problem: `${grant.id} is there twice` };
  const same = others.find(({ credentialDigest }) => credentialDigest === grant.credentialDigest);
  if (same === undefined) return null;
  return { field: "credentialDigest", problem: `is that of grant ${same.id}, too: take out the older one` };
}

/** No name: where that leads is for others to say. */
function isLoopback(host: string): boolean {
  return host === "::1" || (isIPv4(host) && host.startsWith("127."));
}

/** Plain http only where nobody else can listen: peers send their credential there. */
function isBaseUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password, search, hash } = new URL(text);
  if (username !== "" || password !== "" || search !== "" || hash !== "") return false;
  return protocol === "https:" || (protocol === "http:" && isLoopback(hostname.replace(/^\[(.*)\]$/, "$1")));
}
