import { join } from "node:path";
import { KeyRing } from "../access/sealing/key-ring.js";
import { createSealer, type Sealer } from "../access/sealing/sealer.js";
import type { Config } from "../config/config.js";
import type { Clock } from "../shared/clock.js";

/** What this daemon seals with. Nothing is read or made before the first use. */
export function openSealing({ access, dataDir }: Config, clock: Clock): { ring: KeyRing; sealer: Sealer } {
  const ring = new KeyRing(access.sealingKeyFile ?? join(dataDir, "keys", "sealing.json"), clock);
  return { ring, sealer: createSealer(ring) };
}
