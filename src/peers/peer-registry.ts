import type { Drift } from "./drift.js";
import type { Pin } from "./pin.js";
import { pinDigest } from "./pin-digest.js";

/**
 * Whether a peer may be spoken to. It is stopped once it was found to differ from its pin, and stays so, also when it is again
 * as it was: until the operator pins it anew.
 */
export type PeerState =
  | { type: "ok" }
  | { type: "stopped"; since: number; drift: Drift }
  /** It could not be looked at; the next one who wants to speak to it tries again. */
  | { type: "unreachable"; since: number; error: string };

export interface PinnedPeer {
  readonly pin: Pin;
  /** `sha256:…` of the pin. */
  readonly pinDigest: string;
  readonly state: PeerState;
  /** When its card was last read here, ms; null when it has not been. */
  readonly seenAt: number | null;
}

/** How it is found changes under those who hold it. */
type Held = { -readonly [Field in keyof PinnedPeer]: PinnedPeer[Field] };

/** The peers of the loaded registry file, and how they were last found. */
export class PeerRegistry {
  #peers: ReadonlyMap<string, Held> = new Map();
  readonly #onStopped: (peer: PinnedPeer) => void;

  /** @param onStopped told when a peer is found to differ from its pin */
  constructor(pins: readonly Pin[], onStopped: (peer: PinnedPeer) => void = () => {}) {
    this.#onStopped = onStopped;
    this.replace(pins);
  }

  get(name: string): PinnedPeer | undefined {
    return this.#peers.get(name);
  }

  /** By name. */
  list(): PinnedPeer[] {
    return [...this.#peers.values()];
  }

  /** What was found of a peer holds as long as its pin does. */
  replace(pins: readonly Pin[]): void {
    const before = this.#peers;
    const sorted = [...pins].sort((a, b) => (a.peer < b.peer ? -1 : 1));
    this.#peers = new Map(
      sorted.map((pin) => {
        const digest = pinDigest(pin);
        const known = before.get(pin.peer);
        return [pin.peer, known?.pinDigest === digest ? known : fresh(pin, digest)];
      }),
    );
  }

  /** Its card was read. */
  seen(digest: string, now: number): void {
    const peer = this.#of(digest);
    if (peer !== undefined) peer.seenAt = now;
  }

  /** It was looked at, and is what was pinned. */
  found(digest: string): void {
    const peer = this.#of(digest);
    if (peer?.state.type === "unreachable") peer.state = { type: "ok" };
  }

  stop(digest: string, drift: Drift, now: number): void {
    const peer = this.#of(digest);
    if (peer === undefined || peer.state.type === "stopped") return;
    peer.state = { type: "stopped", since: now, drift };
    this.#onStopped(peer);
  }

  unreachable(digest: string, error: string, now: number): void {
    const peer = this.#of(digest);
    if (peer === undefined || peer.state.type === "stopped") return;
    const since = peer.state.type === "unreachable" ? peer.state.since : now;
    peer.state = { type: "unreachable", since, error };
  }

  /** By the pin that was looked at: what is found of an earlier one says nothing of the one in force. */
  #of(digest: string): Held | undefined {
    return [...this.#peers.values()].find((peer) => peer.pinDigest === digest);
  }
}

const fresh = (pin: Pin, digest: string): Held => ({ pin, pinDigest: digest, state: { type: "ok" }, seenAt: null });
