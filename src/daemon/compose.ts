import { type A2aEdge, type AcceptedTokens, createEdge, type EdgeSettings } from "../a2a/server/edge.js";
import type { PushSender } from "../a2a/server/push/sender.js";
import type { AgentName } from "../access/agent-name.js";
import { principalsOf } from "../access/principals-of.js";
import type { Config, LoadedConfig } from "../config/config.js";
import { type ControlServer, createControlServer } from "../http/control/server.js";
import { createHttpServer, type HttpServer } from "../http/server.js";
import { AfterTheEnd } from "../peers/after-the-end.js";
import type { Persona } from "../personas/persona.js";
import { PersonaRegistry } from "../personas/registry.js";
import { ProcessSlots } from "../runtimes/command/process-slots.js";
import { answersWithMessage } from "../runtimes/scripted/match-rule.js";
import { makeIdsBy, newId } from "../shared/ids.js";
import { nuncioVersion } from "../shared/version.js";
import { QueueRoom } from "../store/ledger/queue-room.js";
import { LedgerHealth } from "../store/ledger-health.js";
import { sqlPeerStore } from "../store/peers/peer-store.js";
import { sqlLedger } from "../store/sql-ledger.js";
import { TaskFollowers } from "../tasks/follow.js";
import { ledgerTaskService } from "../tasks/ledger-task-service.js";
import { Retention } from "../tasks/retention.js";
import { Worker } from "../tasks/worker.js";
import type { Logger } from "../telemetry/logger.js";
import { type Access, composeAccess } from "./access.js";
import { type Admission, composeAdmission } from "./admission.js";
import { composeCalls } from "./calls.js";
import { cardFacts } from "./card-facts.js";
import { fetchJsonOver } from "./fetch-json.js";
import { composeGrants } from "./grants.js";
import { logFailures } from "./log-failures.js";
import type { OpenLedger } from "./open-ledger.js";
import { composePeers, type Peers } from "./peers.js";
import { composePlans } from "./plans.js";
import { composePushes } from "./pushes.js";
import { Reload } from "./reload.js";
import { rotateSealing } from "./rotate-sealing.js";
import { atFirstRun } from "./runners.js";
import type { Sealing } from "./sealing.js";
import { wayOut } from "./way-out.js";
import { boundsOf, workerSettings } from "./worker-settings.js";

/** A message to a peer that is on its way when its task is canceled is waited for so long. */
const PEER_STOP_MS = 10_000;

export interface DaemonParts {
  config: Config;
  personas: readonly Persona[];
  /** Reads the configuration anew. */
  load(): Promise<LoadedConfig>;
  env: NodeJS.ProcessEnv;
  /** The registry of peers; null without one. */
  peersFile: string | null;
  /** Whom the listener for peers lets in, and where it listens; null without one. */
  listenerFile: string | null;
  ledger: OpenLedger;
  sealing: Sealing;
  logger: Logger;
}

/** Everything that a daemon is made of, wired and not yet started. */
export interface Daemon {
  reload: Reload;
  worker: Worker;
  retention: Retention;
  pushSender: PushSender;
  /** Loaded before anybody is let in. */
  access: Access;
  /** Loaded before anything is sent to one. */
  peers: Peers;
  /** What the listeners share. Closed before they are. */
  edge: A2aEdge;
  http: HttpServer;
  /** The listener for peers that a grant lets in. */
  admission: Admission;
  control: ControlServer;
  /** Told once the listeners have their ports. */
  setListeners(listeners: { http: string; grpc: string | null }): void;
  /** Ends what the others stand on; after everything else has stopped. */
  closeLedger(): Promise<void>;
}

/** Builds a daemon by hand: constructors, from the ledger up. The data directory must exist and be held. */
export function composeDaemon(parts: DaemonParts): Daemon {
  const { config, personas: loaded, load, env, ledger: opened, sealing, logger } = parts;
  const { clock, alone } = opened;
  makeIdsBy(clock);
  const startedAt = clock.now();
  const health = new LedgerHealth(opened.database);
  const { database } = health;
  const room = new QueueRoom();
  const ledger = sqlLedger(database, room);
  const personas = new PersonaRegistry(loaded);
  const { sealer } = sealing;
  let current = config;
  const outbound = wayOut(() => current);
  const fetchJson = fetchJsonOver(outbound);
  const access = composeAccess({ config, database, clock, alone, hosted: personas, sealer, fetchJson, logger });
  const mayBeTold = (subject: string, agent: AgentName) =>
    edge.gate.wouldAdmit(principalsOf(subject, { ...current.access, hosted: personas }), agent);
  const pushes = composePushes({ config, ledger, opened, sealer, outbound, mayBeTold, logger });
  const { dataDir } = config;
  const store = sqlPeerStore(database);
  const peers = composePeers({
    ...{ file: parts.peersFile, dataDir, store, sealer, outbound, clock, logger },
    grants: async () => (await grants.store()).list({}),
  });
  const followers = new TaskFollowers(ledger);
  logFailures(ledger, logger);

  const processes = new ProcessSlots(config.queue.maxProcesses);
  const { agentTokens } = access.control;
  const calls = composeCalls({ mode: config.mode, ledger, outbound, clock, sealer, agentTokens, logger });
  const plans = composePlans({
    config: () => current,
    ...{ database, room, clock, personas, processes, env },
    peerOf: peers.peerOf,
    secretFiles: () => [parts.peersFile, parts.listenerFile, ...credentialFiles()].filter((file) => file !== null),
  });
  const { countInvocation } = plans;
  const grants = composeGrants({
    ...{ database, room, clock, sealer },
    pinnedWith: (digest) => peers.desk.registry.list().find(({ pin }) => pin.credentialDigest === digest)?.pin.peer,
  });
  const peerRunner = atFirstRun(async () => {
    const [{ PeerRunner }, store] = await Promise.all([import("../runtimes/peer/peer-runner.js"), plans.store()]);
    return new PeerRunner({ ...peers.desk, plans: store });
  });
  const workshop = {
    ...{ ledger, personas, processes, clock, env, outbound, calls, countInvocation, logger, peerRunner },
    peers: () => peers.desk.registry.list(),
  };
  const worker = new Worker({
    ledger,
    owner: newId(),
    clock,
    ...workerSettings(config, workshop),
    alone,
    onError: (err, facts) => logger.error({ err, ...facts }, `${facts.doing} failed`),
  });
  const afterPeers = new AfterTheEnd({
    ...peers.desk,
    ledger,
    whenStopped: (taskId) => worker.whenStopped([taskId], PEER_STOP_MS),
    onError: (err, facts) => logger.warn({ err, taskId: facts.taskId }, `${facts.doing} failed`),
  });
  const retention = new Retention({
    ledger,
    clock,
    plans: { purgeOld: async (command) => (await plans.store()).purgeOld(command) },
    days: config.retention,
    onSwept: (swept) => logger.info(swept, "took out of the ledger what is older than the retention says"),
    onError: (err, facts) => logger.error({ err, ...facts }, `${facts.doing} failed`),
  });
  const newTasks = { maxAttempts: config.a2a.maxAttempts, bounds: boundsOf(config.queue) };
  const service = ledgerTaskService(Object.assign(newTasks, { ledger, worker, clock }));

  const onFault = (err: unknown) => logger.error({ err }, "a request failed by our fault");
  const edgeSettings = (config: Config, tokens: AcceptedTokens): EdgeSettings => ({
    tokens,
    anonymous: config.access.anonymous,
    limits: config.access.limits,
    cards: cardFacts(config),
    blockingTimeoutMs: config.a2a.blockingTimeoutMs,
  });
  const edge = createEdge({
    ledger,
    tasks: service,
    followers,
    pushes: pushes.desk,
    personas,
    keys: access.keys,
    clock,
    answersWithMessage: (persona, message) =>
      persona.runtime.type === "scripted" && answersWithMessage(persona.runtime.rules, message, 1),
    // What strangers send must not fill a log that somebody reads: it is there for whoever asks for it.
    onRefused: (why, agent) => logger.debug({ why, agent }, "a credential was not taken"),
    onFault,
    ...edgeSettings(config, access.tokens),
  });
  const http = createHttpServer({
    edge,
    agentKeysOf: access.agentKeysOf,
    options: {
      ...config.server,
      bodyLimit: config.server.maxBodyBytes,
      limits: { maxConnections: config.server.maxConnections },
      compat: () => current.a2a.compat,
    },
    health: () => health.check(),
    onFault,
  });

  const admission = composeAdmission({
    file: parts.listenerFile,
    stores: async () => ({ grants: await grants.store(), plans: await plans.store() }),
    core: { ledger, tasks: service, followers, pushes: pushes.desk, clock, answersWithMessage: () => false },
    operations: edge.operations,
    submission: async (...work) => (await plans.desk()).submission(...work),
    hosts: (tenant, persona) => personas.get(tenant, persona) !== undefined,
    ...{ clock, logger },
  });

  const reload = new Reload({
    config,
    load,
    logger,
    async prepare(loaded) {
      const believe = await access.prepare(loaded.config);
      const takePeers = await peers.prepare();
      const takeGrants = await admission.prepare();
      // From here on nothing waits: no call and no attempt sees half of it.
      return () => {
        const next = loaded.config;
        current = next;
        const changes = personas.replace(loaded.personas);
        takePeers();
        takeGrants();
        processes.resize(next.queue.maxProcesses);
        worker.replaceSettings(workerSettings(next, workshop));
        Object.assign(newTasks, { maxAttempts: next.a2a.maxAttempts, bounds: boundsOf(next.queue) });
        retention.replaceDays(next.retention);
        pushes.replaceSettings(next.a2a.push);
        edge.changed(edgeSettings(next, believe()));
        return changes;
      };
    },
  });

  const credentialFiles = () => [
    ...peers.credentialFiles(),
    ...admission.credentialFiles(),
    ...current.a2a.credentials.map(({ file }) => file),
  ];
  let listeners: { http: string | null; grpc: string | null } = { http: null, grpc: null };
  const control = createControlServer({
    ledger,
    service,
    personas,
    planned: plans.desk,
    granting: grants.desk,
    access: access.control,
    a2a: { operations: edge.operations, outbound },
    clock,
    log: { error: (facts, message) => logger.error(facts, message) },
    health: () => health.check(),
    reload: () => reload.run(),
    peers: { ...peers.desk, check: peers.check },
    rotateSealing: rotateSealing(database, sealing, credentialFiles),
    info: () => ({
      version: nuncioVersion(),
      dataDir: config.dataDir,
      startedAt,
      listeners: { ...listeners, console: null, admission: admission.facts()?.url ?? null },
      admission: admission.facts(),
      draining: worker.draining,
      slots: worker.slots,
      running: (tenant, persona) => worker.runningOf(tenant, persona),
      outside: (taskId) => calls.outside(taskId),
    }),
  });

  return {
    reload,
    worker,
    retention,
    pushSender: pushes.sender,
    access,
    peers: {
      ...peers,
      async load() {
        await peers.load();
        worker.replaceSettings(workerSettings(current, workshop));
        await afterPeers.catchUp();
      },
    },
    edge,
    http,
    admission,
    control,
    setListeners: (opened) => {
      listeners = opened;
    },
    async closeLedger() {
      access.close();
      calls.close();
      await afterPeers.close();
      followers.close();
      await ledger.close();
    },
  };
}
