import { setTimeout as sleep } from "node:timers/promises";
import { sealedCredentials, together } from "../access/credentials/sealed-credentials.js";
import type { KeyRing } from "../access/sealing/key-ring.js";
import { type Rotated, rotateSealingKeys } from "../access/sealing/rotate.js";
import type { Sealer } from "../access/sealing/sealer.js";
import { sqlSealedStore } from "../store/sealed/sealed-store.js";
import type { Database } from "../store/sql-ledger.js";

/** What was sealed with the old key, here or on another node, is stored by then. */
const SETTLE_MS = 1000;

/** @param credentialFiles those that this daemon goes by; one that is named nowhere keeps its key, which is dropped */
export const rotateSealing =
  (
    database: Database,
    { ring, sealer }: { ring: KeyRing; sealer: Sealer },
    credentialFiles: () => readonly string[],
  ): (() => Promise<Rotated>) =>
  () => {
    const store = together([sqlSealedStore(database), sealedCredentials(credentialFiles)]);
    return rotateSealingKeys({ ring, sealer, store, settle: () => sleep(SETTLE_MS) });
  };
