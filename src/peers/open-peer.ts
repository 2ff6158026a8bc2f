import { AgentClient } from "../a2a/client/agent-client.js";
import { JsonRpcBinding } from "../a2a/client/bindings/json-rpc.js";
import { fetchCardAt } from "../a2a/client/card/fetch-card.js";
import { type CredentialDeps, readPeerCredential } from "../access/credentials/credential-file.js";
import type { Outbound } from "../outbound/outbound.js";
import type { Clock } from "../shared/clock.js";
import { messageOf, NuncioError } from "../shared/errors.js";
import { withoutTokenFile } from "./discover.js";
import { type Drift, driftOf, driftText } from "./drift.js";
import { PeerClient } from "./peer-client.js";
import type { PeerRegistry } from "./peer-registry.js";
import type { Pin } from "./pin.js";
import { pinDigest } from "./pin-digest.js";
import { pinnedReach } from "./pinned-reach.js";

export interface PeerDeps extends CredentialDeps {
  outbound: () => Promise<Pick<Outbound, "fetch" | "pinned" | "resolve">>;
  registry: PeerRegistry;
  clock: Clock;
}

/**
 * Looks at a peer as it is now, and answers with a client for it when it is what was pinned. Nothing of a task has left by
 * then.
 *
 * @throws NuncioError `failed_precondition` PEER_DRIFTED with the difference, from the first time until it is pinned anew;
 *   PEER_PINNED_ANEW for a pin that is not in force; of the way out, of the credential file, or of the client when it cannot be looked at
 */
export async function openPeer(deps: PeerDeps, pin: Pin, signal?: AbortSignal): Promise<PeerClient> {
  refuseStopped(deps.registry, pin);
  const { token } = await checkPeer(deps, pin, signal);
  // A peer may take its time to show its card. Meanwhile the operator may have pinned another, or somebody else have found
  // that it is not what was pinned.
  refuseStopped(deps.registry, pin);
  const reach = pinnedReach(await deps.outbound(), pin, token);
  const client = new AgentClient(new JsonRpcBinding(pin.endpoint, "1.0", reach), "1.0", pin.tenant);
  return new PeerClient(client, pin.supports);
}

/** Compares a peer with its pin, and notes in the registry what was found. Throws as `openPeer`. */
export async function checkPeer(deps: PeerDeps, pin: Pin, signal?: AbortSignal): Promise<{ token: string }> {
  const { registry, clock } = deps;
  const digest = pinDigest(pin);
  try {
    const { token, drift } = await look(deps, pin, signal);
    if (drift !== null) {
      registry.stop(digest, drift, clock.now());
      throw drifted(pin.peer, drift);
    }
    registry.found(digest);
    return { token };
  } catch (cause) {
    const error = withoutTokenFile(cause);
    // Whoever left has learned nothing of the peer.
    if (!isDrift(error) && signal?.aborted !== true) registry.unreachable(digest, messageOf(error), clock.now());
    throw error;
  }
}

/** A token is shown only where it was pinned, and only while it is the one that was: the card comes last. */
async function look(deps: PeerDeps, pin: Pin, signal: AbortSignal | undefined) {
  const { token, digest: credentialDigest } = readPeerCredential(pin.credentialFile, pin.peer, deps);
  const outbound = await deps.outbound();
  const urls = [pin.endpoint, pin.cardUrl];
  const resolved = await Promise.all(urls.map((url) => outbound.resolve(url, { signal })));
  const addresses = [...new Set(resolved.flat())].sort();
  const before = driftOf(pin, { credentialDigest, addresses, card: null });
  if (before !== null) return { token, drift: before };
  const { document } = await fetchCardAt(pin.cardUrl, pinnedReach(outbound, pin, token), signal);
  deps.registry.seen(pinDigest(pin), deps.clock.now());
  return { token, drift: driftOf(pin, { credentialDigest, addresses, card: document }) };
}

function refuseStopped(registry: PeerRegistry, pin: Pin): void {
  const known = registry.get(pin.peer);
  if (known?.pinDigest !== pinDigest(pin)) throw pinnedAnew(pin.peer);
  if (known.state.type === "stopped") throw drifted(pin.peer, known.state.drift);
}

/** Whoever tries again goes by the pin in force. */
const pinnedAnew = (peer: string): NuncioError =>
  new NuncioError("failed_precondition", `the pin of peer ${peer} is not in force any more`, {
    reason: "PEER_PINNED_ANEW",
    retryable: true,
    hint: `nuncio a2a peers ${peer}`,
  });

const isDrift = (error: unknown): boolean => NuncioError.is(error) && error.reason === "PEER_DRIFTED";

const drifted = (peer: string, drift: Drift): NuncioError =>
  new NuncioError("failed_precondition", `the peer ${peer} is not what was pinned: ${driftText(drift)} changed`, {
    reason: "PEER_DRIFTED",
    hint: `look at the difference with nuncio a2a peers ${peer}, and pin it anew when it is right`,
    details: { peer, changed: driftText(drift) },
  });
