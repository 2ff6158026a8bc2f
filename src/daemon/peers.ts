import { join } from "node:path";
import type { Sealer } from "../access/sealing/sealer.js";
import type { Outbound } from "../outbound/outbound.js";
import type { PeerDesk } from "../peers/desk.js";
import { PeerRegistry } from "../peers/peer-registry.js";
import type { PeerStore } from "../peers/peer-store.js";
import { pinDigest } from "../peers/pin-digest.js";
import type { RegisteredPeer } from "../peers/registry-file.js";
import type { StoppedFile } from "../peers/stopped-file.js";
import { type Grant, grantState } from "../plans/grant.js";
import type { Clock } from "../shared/clock.js";
import { NuncioError } from "../shared/errors.js";
import { fileRefused } from "../shared/owner-json.js";
import type { Logger } from "../telemetry/logger.js";

export interface PeersParts {
  /** The registry of peers; null where the daemon was started without one. */
  file: string | null;
  dataDir: string;
  store: PeerStore;
  /** All there are: a credential that lets somebody in serves no peer. */
  grants(): Promise<readonly Grant[]>;
  sealer: Sealer;
  outbound: () => Promise<Outbound>;
  clock: Clock;
  logger: Logger;
}

export interface Peers {
  desk: PeerDesk;
  /** What planned tasks go by. */
  peerOf(name: string): { pinDigest: string; slots: number } | undefined;
  /** Looks at a peer now, and notes in the registry how it was found. */
  check(name: string, signal?: AbortSignal): Promise<void>;
  /** The credential files of all peers. */
  credentialFiles(): string[];
  /** Takes the registry file at the start. */
  load(): Promise<void>;
  /** Reads the registry file as it is now. The answer brings it into force. Throws what is wrong with it. */
  prepare(): Promise<() => void>;
}

/** The pinned peers. What it takes to deal with them is loaded only where there is a registry. */
export function composePeers(parts: PeersParts): Peers {
  const { file, dataDir, store, sealer, outbound, clock, logger } = parts;
  let stoppedFile: StoppedFile | undefined;
  const registry = new PeerRegistry([], ({ pin: { peer }, state }) => {
    logger.warn({ peer, state }, "a peer is not what was pinned: it is stopped until it is pinned anew");
    keepStopped();
  });
  const keepStopped = () => {
    try {
      stoppedFile?.write(registry);
    } catch (err) {
      logger.error({ err }, "which peers are stopped could not be kept for the next start");
    }
  };
  const deps = { registry, sealer, outbound, clock };
  const opening = () => import("../peers/open-peer.js");

  const peers: Peers = {
    desk: {
      ...{ store, registry, clock },
      open: async (pin, signal) => (await opening()).openPeer(deps, pin, signal),
    },
    peerOf(name) {
      const known = registry.get(name);
      return known && { pinDigest: known.pinDigest, slots: known.pin.slots };
    },
    async check(name, signal) {
      const known = registry.get(name);
      if (known === undefined || known.state.type === "stopped") return;
      const { checkPeer } = await opening();
      await checkPeer(deps, known.pin, signal).catch((error) => {
        // How it was found stands in the registry.
        if (!NuncioError.is(error)) throw error;
      });
    },
    credentialFiles: () => registry.list().map(({ pin }) => pin.credentialFile),
    async load() {
      (await peers.prepare())();
    },
    async prepare() {
      if (file === null) return () => {};
      const [{ readRegistryFile }, { StoppedFile }, { driftOf }] = await Promise.all([
        import("../peers/registry-file.js"),
        import("../peers/stopped-file.js"),
        import("../peers/drift.js"),
      ]);
      const read = readRegistryFile(file, { sealer });
      if (read.length > 0) refuseGranted(file, read, await parts.grants(), clock.now());
      const atStart = stoppedFile === undefined;
      const kept = new StoppedFile(join(dataDir, "peers", "stopped.json"));
      const stopped = atStart ? kept.read() : [];
      return () => {
        registry.replace(read.map(({ pin }) => pin));
        for (const { pinDigest, drift, since } of stopped) registry.stop(pinDigest, drift, since);
        stoppedFile = kept;
        for (const { pin, credentialDigest } of read) {
          const drift = driftOf(pin, { credentialDigest, addresses: [], card: null });
          if (drift !== null) registry.stop(pinDigest(pin), drift, clock.now());
        }
        if (!atStart) keepStopped();
      };
    },
  };
  return peers;
}

/** Whoever is let in by a token that we show to somebody else could be that one. */
function refuseGranted(file: string, peers: readonly RegisteredPeer[], grants: readonly Grant[], now: number): void {
  for (const { pin, credentialDigest } of peers) {
    const granted = grants.find(
      (grant) => grant.credentialDigest === credentialDigest && /^(open|spent)$/.test(grantState(grant, now)),
    );
    if (granted === undefined) continue;
    throw fileRefused(
      file,
      `cannot be taken: the credential of ${pin.peer} lets ${granted.peer} in by the grant ${granted.id}, too`,
      `nuncio a2a credential ${pin.peer} --file FILE, and pin it anew; or nuncio a2a revoke ${granted.id}`,
    );
  }
}
