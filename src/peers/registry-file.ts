import { type CredentialDeps, readPeerCredential } from "../access/credentials/credential-file.js";
import { fileRefused, readOwnerJson } from "../shared/owner-json.js";
import type { Pin } from "./pin.js";
import { pinProblem } from "./pin-problem.js";
import { shapedPin, shapedRegistry } from "./pin-schema.js";

/** A hundred peers with cards as large as most are, and then some. */
const MAX_BYTES = 16 * 1024 * 1024;

/** A pin of the file, and the digest of its credential as it is now. */
export interface RegisteredPeer {
  pin: Pin;
  credentialDigest: string;
}

/**
 * Reads the registry of peers: `{ "schema": 1, "peers": [ pin, … ] }`, for its owner alone. It is taken as a whole or not at
 * all, with the credential files that it names.
 *
 * @throws NuncioError with the path, the reason and what mends it
 */
export function readRegistryFile(file: string, deps: CredentialDeps): RegisteredPeer[] {
  const form = 'write it as { "schema": 1, "peers": [ … ] }, with the pins that nuncio a2a pin prints';
  const mend = "put the objects that nuncio a2a pin prints, as they are, between the brackets of peers";
  const make = `umask 077; echo '{ "schema": 1, "peers": [] }' > ${file}`;
  const pins = parseRegistry(readOwnerJson(file, MAX_BYTES, { make, mend: form }));
  if (!Array.isArray(pins)) {
    const { field, problem } = pins;
    throw fileRefused(file, `cannot be taken: ${field} ${problem}`.trimEnd(), field.startsWith("peers[") ? mend : form);
  }
  return pins.map((pin) => {
    const { digest } = readPeerCredential(pin.credentialFile, pin.peer, deps);
    return { pin, credentialDigest: digest };
  });
}

/** The pins in the content of a registry file, or what is wrong with it. */
export function parseRegistry(value: unknown): Pin[] | { field: string; problem: string } {
  const registry = shapedRegistry(value);
  if (!("value" in registry)) return registry;
  const pins: Pin[] = [];
  for (const [at, given] of registry.value.peers.entries()) {
    const shaped = shapedPin(given);
    const problem = "value" in shaped ? (pinProblem(shaped.value) ?? clash(shaped.value, pins)) : shaped;
    if (problem !== null)
      return { field: `peers[${at}]${problem.field === "" ? "" : `.${problem.field}`}`, problem: problem.problem };
    pins.push((shaped as { value: Pin }).value);
  }
  return pins;
}

/** Peers are told apart by their names, and tell themselves apart by their credentials. */
function clash(pin: Pin, others: readonly Pin[]): { field: string; problem: string } | null {
  if (others.some(({ peer }) => peer === pin.peer)) return { field: "peer", problem: `${pin.peer} is there twice` };
  const same = others.find(({ credentialDigest }) => credentialDigest === pin.credentialDigest);
  if (same === undefined) return null;
  return {
    field: "credentialDigest",
    problem: `is that of ${same.peer}, too: each peer needs a credential of its own`,
  };
}
