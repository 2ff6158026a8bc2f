import { readCredentialJson, readPeerCredential } from "../access/credentials/credential-file.js";
import { type MadeCredential, makeCredential, type NewCredential } from "../access/credentials/make-credential.js";
import { KeyRing } from "../access/sealing/key-ring.js";
import { createSealer, type Sealer } from "../access/sealing/sealer.js";
import { createOutbound } from "../outbound/outbound.js";
import { discoverCard, savedCard } from "../peers/discover.js";
import { makePin, type Reviewed } from "../peers/make-pin.js";
import type { Pin } from "../peers/pin.js";
import { pinDigest } from "../peers/pin-digest.js";
import { spokenInterfaces } from "../peers/spoken-interfaces.js";
import { systemClock } from "../shared/clock.js";
import { invalidArgument } from "../shared/errors.js";
import { strictJson } from "../shared/strict-json.js";
import { readTextFile } from "../shared/text-file.js";

/*
 * What the operator does about peers before a daemon knows of them: for the commands of `nuncio a2a` that need no running one.
 */

/** Where the sealing keys are; asked only when something is sealed, or has to be. */
export type FindKeyFile = () => Promise<string>;

export async function newCredential(wanted: NewCredential, keyFile: FindKeyFile): Promise<MadeCredential> {
  return makeCredential(wanted, wanted.seal || wanted.from !== undefined ? await sealerOf(keyFile) : NO_SEALER);
}

export interface Asked {
  peer: string;
  endpoint: string;
  cardUrl: string;
  credentialFile: string;
  addresses: string[];
  local: boolean;
  /** Of the interface; null where it has none. */
  tenant: string | null;
}

/** The card of an agent, fetched over exactly these addresses; and whether it has an interface that can be pinned. */
export async function discover(asked: Asked, keyFile: FindKeyFile, signal: AbortSignal) {
  const { token } = await credentialOf(asked, keyFile);
  // Nothing is resolved, and no rule but that of pins applies: the operator has named every address.
  const outbound = createOutbound({ mode: "production", allow: [] });
  const card = await discoverCard(outbound, { ...asked, token }, signal);
  const fits = spokenInterfaces(card, asked.endpoint).some(({ tenant }) => tenant === asked.tenant);
  return { card: card.document, fits };
}

export interface PinWanted extends Omit<Reviewed, "card" | "credentialDigest" | "pinnedAt"> {
  cardFile: string;
}

const MAX_CARD_BYTES = 1024 * 1024;

/** The pin object of what was reviewed, and its digest. */
export async function pin(
  { cardFile, ...wanted }: PinWanted,
  keyFile: FindKeyFile,
): Promise<{ pin: Pin; digest: string }> {
  const { digest: credentialDigest } = await credentialOf(wanted, keyFile);
  const { document: card } = savedCard(await jsonIn(cardFile), cardFile);
  const pinnedAt = new Date(systemClock.now()).toISOString();
  const made = makePin({ ...wanted, card, credentialDigest, pinnedAt });
  return { pin: made, digest: pinDigest(made) };
}

async function jsonIn(file: string): Promise<unknown> {
  const found = await readTextFile(file, MAX_CARD_BYTES);
  const hint = "save what nuncio a2a discover prints";
  const read = "problem" in found ? found : strictJson(found.text);
  if ("problem" in read) throw invalidArgument("card-file", `${file} ${read.problem}`, { hint });
  return read.value;
}

async function credentialOf({ peer, credentialFile }: Pick<Asked, "peer" | "credentialFile">, keyFile: FindKeyFile) {
  const { secret } = readCredentialJson(credentialFile, peer);
  const sealer = secret !== null && "sealed" in secret ? await sealerOf(keyFile) : NO_SEALER;
  return readPeerCredential(credentialFile, peer, { sealer });
}

/** What keeps the keys from being found matters only to who needs them. */
async function sealerOf(keyFile: FindKeyFile): Promise<Sealer> {
  try {
    return createSealer(new KeyRing(await keyFile(), systemClock));
  } catch (error) {
    return failing(error);
  }
}

function failing(error: unknown): Sealer {
  const fail = (): never => {
    throw error;
  };
  return { seal: fail, open: fail };
}

const NO_SEALER = failing(new Error("nothing is sealed, and nothing has to be"));
