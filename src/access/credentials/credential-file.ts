import { dirname } from "node:path";
import { NuncioError } from "../../shared/errors.js";
import { makeDirectory } from "../../shared/make-directory.js";
import { fileRefused, readOwnerJson } from "../../shared/owner-json.js";
import { writeSecretFile } from "../../shared/secret-file.js";
import type { Sealer } from "../sealing/sealer.js";
import { type BearerCredential, type Credential, credentialDigest } from "./credential.js";
import { type CredentialJson, credentialText, parseCredential, SHAPES, sealPurpose } from "./credential-json.js";

export { credentialDigest } from "./credential.js";

export interface CredentialDeps {
  /** Opens what is sealed; asked only then. */
  sealer: Pick<Sealer, "open">;
}

const MAX_BYTES = 32_768;

/**
 * Reads a credential file: JSON of this user, with mode 0600, not behind a link, of a known schema, and nothing else in it.
 *
 * @throws NuncioError SECRET_FILE_REFUSED, OPERATOR_FILE_REFUSED; of the sealer for a secret that cannot be opened
 */
export function readCredential(file: string, deps: CredentialDeps, peer?: string): Credential {
  const { type, facts, secret } = readCredentialJson(file, peer);
  const field = SHAPES[type].secret?.field;
  const plain = secret === null || "plain" in secret ? secret?.plain : opened(file, { type, facts, secret }, deps);
  const read = { type, ...facts, ...(field !== undefined && { [field]: plain }) };
  return (type === "oauth2ClientCredentials" ? { scope: null, ...read } : read) as Credential;
}

/**
 * The token of a peer, with its digest.
 *
 * @throws as `readCredential`; for a credential of another type or another peer, too
 */
export function readPeerCredential(
  file: string,
  peer: string,
  deps: CredentialDeps,
): BearerCredential & { digest: string } {
  const credential = readCredential(file, deps, peer);
  if (credential.type !== "bearer") throw fileRefused(file, "has no token for a peer", makeHint(file, peer));
  if (credential.peer !== peer) {
    throw fileRefused(file, `is the credential of ${credential.peer}, not of ${peer}`, makeHint("FILE", peer));
  }
  return { ...credential, digest: credentialDigest(credential.token) };
}

/** A credential file as it stands: what is sealed stays so. */
export function readCredentialJson(file: string, peer?: string): CredentialJson {
  const make = makeHint(file, peer);
  const hints = { make, mend: `rm ${file}, and make it anew: ${make}` };
  const parsed = parseCredential(readOwnerJson(file, MAX_BYTES, hints));
  if ("problem" in parsed) throw fileRefused(file, parsed.problem, hints.mend);
  return parsed;
}

/**
 * Makes a credential file, and the directories above it that are missing, for its owner alone.
 *
 * @throws NuncioError `conflict` when there is something of that name, were it a link that leads nowhere
 */
export function makeCredentialFile(file: string, credential: CredentialJson): void {
  let written: boolean;
  try {
    makeDirectory(dirname(file), 0o700);
    written = writeSecretFile(file, credentialText(credential), false);
  } catch (cause) {
    throw new NuncioError(
      "failed_precondition",
      `${file} cannot be written (${(cause as NodeJS.ErrnoException).code})`,
      {
        reason: "OPERATOR_FILE_REFUSED",
        hint: "name a file in a directory that this user may write",
        cause,
      },
    );
  }
  if (!written) throw credentialExists(file);
}

export const credentialExists = (file: string): NuncioError =>
  new NuncioError("conflict", `${file} is there already, and a credential is never overwritten`, {
    reason: "CREDENTIAL_EXISTS",
    hint: `name another file, or rm ${file} when nobody needs it any more`,
  });

function opened(file: string, { type, facts, secret }: CredentialJson, { sealer }: CredentialDeps): string {
  try {
    return sealer.open((secret as { sealed: string }).sealed, sealPurpose({ type, facts }));
  } catch (error) {
    if (!NuncioError.is(error) || error.reason !== "SEAL_BROKEN") throw error;
    throw fileRefused(file, "cannot be opened: it was changed after it was sealed", makeHint("FILE", facts.peer));
  }
}

const makeHint = (file: string, peer = "PEER"): string => `nuncio a2a credential ${peer} --file ${file}`;
