import { setTimeout as sleep } from "node:timers/promises";
import type { KeyRing } from "../access/sealing/key-ring.js";
import { type Rotated, rotateSealingKeys } from "../access/sealing/rotate.js";
import type { Sealer } from "../access/sealing/sealer.js";
import { sqlSealedStore } from "../store/sealed/sealed-store.js";
import type { Database } from "../store/sql-ledger.js";

/** What was sealed with the old key, here or on another node, is stored by then. */
const SETTLE_MS = 1000;

export const rotateSealing =
  (database: Database, { ring, sealer }: { ring: KeyRing; sealer: Sealer }): (() => Promise<Rotated>) =>
  () =>
    rotateSealingKeys({ ring, sealer, store: sqlSealedStore(database), settle: () => sleep(SETTLE_MS) });
