import { randomBytes } from "node:crypto";
import { lstatSync, rmSync } from "node:fs";
import { invalidArgument } from "../../shared/errors.js";
import { fileRefused } from "../../shared/owner-json.js";
import { readSecretFile } from "../../shared/secret-file.js";
import { strictJson } from "../../shared/strict-json.js";
import type { Sealer } from "../sealing/sealer.js";
import { credentialDigest, PEER_NAME, PEER_NAME_FORM, TOKEN } from "./credential.js";
import { credentialExists, makeCredentialFile } from "./credential-file.js";
import { type CredentialJson, parseCredential, sealPurpose } from "./credential-json.js";

export interface NewCredential {
  /** Whom it is for, by the name that it has here. */
  peer: string;
  file: string;
  /** A file that somebody has handed over: a credential file, or a token alone. Without it a new token is made. */
  from?: string | undefined;
  /** Where to write the copy that is handed over to the peer: never sealed. */
  handover?: string | undefined;
  seal: boolean;
}

export interface MadeCredential {
  peer: string;
  file: string;
  /** Null for a credential without a secret. */
  digest: string | null;
  sealed: boolean;
  handover: string | null;
}

/**
 * Makes the file of a credential, and the copy that is to be handed over: both or none.
 *
 * @param sealer asked only for what is sealed, or has to be
 * @throws NuncioError `conflict` for a file that is there; SECRET_FILE_REFUSED, OPERATOR_FILE_REFUSED
 */
export function makeCredential(wanted: NewCredential, sealer: Sealer): MadeCredential {
  const { peer, file, from, handover, seal } = wanted;
  if (!PEER_NAME.test(peer)) {
    throw invalidArgument("peer", `${JSON.stringify(peer.slice(0, 80))} cannot be the name of a peer`, {
      hint: `use ${PEER_NAME_FORM}`,
    });
  }
  const credential = from === undefined ? newToken(peer) : handedOver(from, peer, sealer);
  const { secret } = credential;
  const plain = secret !== null && "plain" in secret ? secret.plain : null;
  const kept: CredentialJson =
    seal && plain !== null
      ? { ...credential, secret: { sealed: sealer.seal(plain, sealPurpose(credential)) } }
      : credential;
  if (handover !== undefined) {
    if (lstatSync(file, { throwIfNoEntry: false }) !== undefined) throw credentialExists(file);
    makeCredentialFile(handover, credential);
  }
  try {
    makeCredentialFile(file, kept);
  } catch (error) {
    if (handover !== undefined) rmSync(handover, { force: true });
    throw error;
  }
  return {
    peer,
    file,
    digest: plain === null ? null : credentialDigest(plain),
    sealed: seal && plain !== null,
    handover: handover ?? null,
  };
}

/** 32 random bytes: long enough that a plain SHA-256 is a safe way to know it by. */
const newToken = (peer: string): CredentialJson => ({
  type: "bearer",
  facts: { peer },
  secret: { plain: `np_${randomBytes(32).toString("base64url")}` },
});

const MAX_BYTES = 32_768;

/** The peer has another name where it comes from. */
function handedOver(file: string, peer: string, sealer: Sealer): CredentialJson {
  const text = readSecretFile(file, MAX_BYTES);
  const wanted = "name a credential file, or a file that holds the token alone";
  if (text === null) throw fileRefused(file, "does not exist", wanted);
  const token = text.trim();
  if (!token.startsWith("{")) {
    if (!TOKEN.test(token)) throw fileRefused(file, "holds no token of 16 or more printable ASCII characters", wanted);
    return { type: "bearer", facts: { peer }, secret: { plain: token } };
  }
  const json = strictJson(text);
  if ("problem" in json) throw fileRefused(file, json.problem, wanted);
  const parsed = parseCredential(json.value);
  if ("problem" in parsed) throw fileRefused(file, parsed.problem, wanted);
  const { secret } = parsed;
  const plain =
    secret !== null && "sealed" in secret ? { plain: sealer.open(secret.sealed, sealPurpose(parsed)) } : secret;
  return { ...parsed, secret: plain, ...(parsed.type === "bearer" && { facts: { ...parsed.facts, peer } }) };
}
