import { join } from "node:path";
import { KeyRing } from "../access/sealing/key-ring.js";
import { keyIdOf } from "../access/sealing/sealed-text.js";
import { createSealer, type Sealer } from "../access/sealing/sealer.js";
import type { Config } from "../config/config.js";
import type { Clock } from "../shared/clock.js";
import { sqlSealedStore } from "../store/sealed/sealed-store.js";
import type { Database } from "../store/sql-ledger.js";
import type { Logger } from "../telemetry/logger.js";

export interface Sealing {
  ring: KeyRing;
  sealer: Sealer;
}

/**
 * What this daemon seals with. Nothing is made before the first use.
 *
 * @throws NuncioError for a key file that is there and must not be used
 */
export function openSealing({ access, dataDir }: Pick<Config, "access" | "dataDir">, clock: Clock): Sealing {
  const ring = new KeyRing(access.sealingKeyFile ?? join(dataDir, "keys", "sealing.json"), clock);
  ring.ids();
  return { ring, sealer: createSealer(ring) };
}

/** The wrong key file, or none: says so before somebody wonders why nobody is notified. */
export async function warnOfLostKeys(database: Database, { ring }: Sealing, logger: Logger): Promise<void> {
  const [first] = await sqlSealedStore(database).walk({ after: null, limit: 1 });
  const keyId = first === undefined ? null : keyIdOf(first.sealed);
  if (keyId === null || ring.find(keyId) !== null) return;
  logger.warn(
    { file: ring.file, keyId },
    "secrets in the ledger cannot be opened: put back the sealing key file that belongs to it (docs/security.md)",
  );
}
