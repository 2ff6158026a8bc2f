import type { PinnedPeer } from "../../peers/peer-registry.js";
import type { PeerStore } from "../../peers/peer-store.js";
import { toOptionalTimestamp } from "./schema/fields.js";
import type { PeerJson } from "./schema/peer.js";

/** Peers with what the ledger knows of them. */
export async function peersOf(peers: readonly PinnedPeer[], store: PeerStore): Promise<PeerJson[]> {
  if (peers.length === 0) return [];
  const [holding, contacts] = await Promise.all([store.holding(), store.lastContacts()]);
  return peers.map((known) => {
    const { peer } = known.pin;
    const used = holding.filter((dispatch) => dispatch.peer === peer).length;
    return peerOf(known, used, contacts.get(peer) ?? null);
  });
}

function peerOf({ pin, pinDigest, state, seenAt }: PinnedPeer, used: number, heardAt: number | null): PeerJson {
  const { endpoint, cardUrl, local, skill, tenant, supports, retention } = pin;
  return {
    name: pin.peer,
    state: state.type,
    since: toOptionalTimestamp(state.type === "ok" ? null : state.since),
    error: state.type === "unreachable" ? state.error : null,
    drift: state.type === "stopped" ? { ...state.drift, differences: [...state.drift.differences] } : null,
    ...{ endpoint, cardUrl, local, skill, tenant, supports, retention },
    addresses: [...pin.addresses],
    files: [...pin.files],
    slots: { used, total: pin.slots },
    pinDigest,
    cardDigest: pin.cardDigest,
    credentialDigest: pin.credentialDigest,
    pinnedAt: pin.pinnedAt,
    lastContactAt: toOptionalTimestamp(latest(seenAt, heardAt)),
  };
}

const latest = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.max(a, b);
