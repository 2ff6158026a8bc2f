import { NuncioError } from "../../shared/errors.js";
import type { KeyRing } from "./key-ring.js";
import type { SealedStore, StoredSeal } from "./sealed-store.js";
import { keyIdOf } from "./sealed-text.js";
import type { Sealer } from "./sealer.js";

export interface Rotation {
  ring: KeyRing;
  sealer: Sealer;
  store: SealedStore;
  /** For what was sealed before the new key was there, and is not yet stored. */
  settle(): Promise<void>;
}

export interface Rotated {
  /** Id of the new key. */
  current: string;
  /** How many texts were sealed anew. */
  resealed: number;
  /** Texts that cannot be opened: they were lost before, and stay as they are. */
  unreadable: number;
  /** Ids of the keys that are gone. */
  dropped: string[];
}

const PAGE = 200;

/**
 * A new key, everything stored sealed with it, and only then the old keys dropped. Whenever this dies, all keys that
 * anything is sealed with are in the file: the same again comes to the end.
 */
export async function rotateSealingKeys({ ring, sealer, store, settle }: Rotation): Promise<Rotated> {
  const old = ring.ids();
  const current = ring.renew();
  const first = await sealAnew(ring, sealer, store);
  await settle();
  // What arrived meanwhile; and whatever another node was about to store.
  const second = await sealAnew(ring, sealer, store);
  const dropped = old.filter((id) => !second.kept.has(id));
  ring.drop(dropped);
  return { current, resealed: first.resealed + second.resealed, unreadable: second.unreadable, dropped };
}

interface Walked {
  resealed: number;
  unreadable: number;
  /** Keys that something is still sealed with. */
  kept: Set<string>;
}

async function sealAnew(ring: KeyRing, sealer: Sealer, store: SealedStore): Promise<Walked> {
  const walked: Walked = { resealed: 0, unreadable: 0, kept: new Set() };
  for (let after: string | null = null; ; ) {
    const page = await store.walk({ after, limit: PAGE });
    if (page.length === 0) return walked;
    for (const seal of page) {
      const keyId = keyIdOf(seal.sealed);
      if (keyId === ring.current().id) continue;
      const plain = openOrNull(sealer, seal);
      if (keyId === null || plain === null) {
        walked.unreadable += 1;
        if (keyId !== null) walked.kept.add(keyId);
        continue;
      }
      // Nothing replaced: it was deleted, or somebody has just stored another one, which the next walk sees.
      if (await store.replace({ seal, sealed: sealer.seal(plain, seal.purpose) })) walked.resealed += 1;
      else walked.kept.add(keyId);
    }
    after = (page.at(-1) as { place: string }).place;
  }
}

function openOrNull(sealer: Sealer, { sealed, purpose }: StoredSeal): string | null {
  try {
    return sealer.open(sealed, purpose);
  } catch (error) {
    if (NuncioError.is(error) && (error.reason === "SEALING_KEY_MISSING" || error.reason === "SEAL_BROKEN"))
      return null;
    throw error;
  }
}
