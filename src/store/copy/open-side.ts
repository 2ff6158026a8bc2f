import type { LedgerPlace } from "./ledger-place.js";
import { PostgresSide } from "./postgres-side.js";
import type { LedgerSide } from "./side.js";
import { SqliteSide } from "./sqlite-side.js";

/** Nothing is opened before it is needed. */
export const sideAt = (place: LedgerPlace): LedgerSide =>
  place.type === "sqlite" ? new SqliteSide(place.file) : new PostgresSide(place);
