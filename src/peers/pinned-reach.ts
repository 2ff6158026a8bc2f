import type { Reach } from "../a2a/client/bindings/reach.js";
import type { Outbound } from "../outbound/outbound.js";
import type { Pinned } from "../outbound/pinned.js";

export type PinnedWay = Pick<Outbound, "fetch" | "pinned">;

/** The way to a peer: whatever its URL, only its pinned addresses are dialed, and its token goes nowhere else. */
export const pinnedReach = (outbound: PinnedWay, pinned: Pinned, token: string): Reach => ({
  outbound: {
    fetch: (url, request) => outbound.fetch(outbound.pinned(url instanceof URL ? url : String(url), pinned), request),
  },
  endpoint: "operator",
  credentials: { authorization: `Bearer ${token}` },
});
