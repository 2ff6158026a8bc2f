import type { Clock } from "../shared/clock.js";
import { NuncioError } from "../shared/errors.js";
import type { PeerClient } from "./peer-client.js";
import type { PeerRegistry, PinnedPeer } from "./peer-registry.js";
import type { PeerStore } from "./peer-store.js";
import type { Pin } from "./pin.js";

/** What is needed to deal with a peer. */
export interface PeerDesk {
  store: PeerStore;
  registry: PeerRegistry;
  /** `openPeer`: looks at the peer anew, and throws when it is not what was pinned. */
  open(pin: Pin, signal?: AbortSignal): Promise<PeerClient>;
  clock: Clock;
}

export function requirePinned(registry: PeerRegistry, peer: string): PinnedPeer {
  const pinned = registry.get(peer);
  if (pinned === undefined) {
    throw new NuncioError("failed_precondition", `peer ${peer} is not in the registry of this daemon`, {
      reason: "PEER_NOT_PINNED",
      hint: "put its pin into the file of --a2a-config, and run `nuncio reload`",
    });
  }
  return pinned;
}
