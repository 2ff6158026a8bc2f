import { type A2aEdge, createEdge } from "../a2a/server/edge.js";
import { KeyCache } from "../access/key-cache.js";
import type { Config } from "../config/config.js";
import { type ControlServer, createControlServer } from "../http/control/server.js";
import { createHttpServer, type HttpServer } from "../http/server.js";
import type { Persona } from "../personas/persona.js";
import { PersonaRegistry } from "../personas/registry.js";
import { answersWithMessage } from "../runtimes/scripted/match-rule.js";
import { makeIdsBy, newId } from "../shared/ids.js";
import { nuncioVersion } from "../shared/version.js";
import { sqlAccessStore } from "../store/access/api-keys.js";
import { LedgerHealth } from "../store/ledger-health.js";
import { sqlLedger } from "../store/sql-ledger.js";
import { TaskFollowers } from "../tasks/follow.js";
import { ledgerTaskService } from "../tasks/ledger-task-service.js";
import { Retention } from "../tasks/retention.js";
import { Worker } from "../tasks/worker.js";
import type { Logger } from "../telemetry/logger.js";
import { hostTools, ToolCatalog } from "../tools/catalog.js";
import { toolBoxFactory } from "../tools/tool-box.js";
import { cardFacts } from "./card-facts.js";
import { logFailures } from "./log-failures.js";
import type { OpenLedger } from "./open-ledger.js";
import { runners } from "./runners.js";

export interface DaemonParts {
  config: Config;
  personas: readonly Persona[];
  env: NodeJS.ProcessEnv;
  ledger: OpenLedger;
  logger: Logger;
}

/** Everything that a daemon is made of, wired and not yet started. */
export interface Daemon {
  worker: Worker;
  retention: Retention;
  /** What the listeners share. Closed before they are. */
  edge: A2aEdge;
  http: HttpServer;
  control: ControlServer;
  /** Told once the listener has its port. */
  setHttpUrl(url: string): void;
  /** Ends what the others stand on; after everything else has stopped. */
  closeLedger(): Promise<void>;
}

/** Builds a daemon by hand: constructors, from the ledger up. The data directory must exist and be held. */
export function composeDaemon({ config, personas: loaded, env, ledger: opened, logger }: DaemonParts): Daemon {
  const { clock, alone } = opened;
  makeIdsBy(clock);
  const startedAt = clock.now();
  const health = new LedgerHealth(opened.database);
  const { database } = health;
  const ledger = sqlLedger(database);
  const keys = new KeyCache(sqlAccessStore(database));
  const personas = new PersonaRegistry(loaded);
  const followers = new TaskFollowers(ledger);
  logFailures(ledger, logger);

  const { maxPendingPerPersona, maxPendingPerTenant } = config.queue;
  const bounds = { perPersona: maxPendingPerPersona, perTenant: maxPendingPerTenant };
  const limits = { ...config.a2a, bounds };
  const catalog = new ToolCatalog(hostTools({ ledger, personas, limits, clock }));
  const runnerFor = runners({
    personas,
    providers: config.providers,
    ledger,
    clock,
    env,
    maxProcesses: config.queue.maxProcesses,
    maxTokensPerRoot: limits.maxTokensPerRoot,
  });

  const worker = new Worker({
    ledger,
    owner: newId(),
    clock,
    personas: loaded,
    runnerFor: ({ tenant, name }) => runnerFor(personas.get(tenant, name)),
    tools: toolBoxFactory(catalog, personas),
    ...config.queue,
    alone,
    onError: (err, facts) => logger.error({ err, ...facts }, `${facts.doing} failed`),
  });
  const retention = new Retention({
    ledger,
    clock,
    days: config.retention,
    onSwept: (swept) => logger.info(swept, "took out of the ledger what is older than the retention says"),
    onError: (err, facts) => logger.error({ err, ...facts }, `${facts.doing} failed`),
  });
  const service = ledgerTaskService({ ledger, worker, clock, maxAttempts: limits.maxAttempts, bounds });

  const onFault = (err: unknown) => logger.error({ err }, "a request failed by our fault");
  const edge = createEdge({
    ledger,
    tasks: service,
    followers,
    personas,
    keys,
    clock,
    answersWithMessage: (persona, message) =>
      persona.runtime.type === "scripted" && answersWithMessage(persona.runtime.rules, message, 1),
    anonymous: config.access.anonymous,
    blockingTimeoutMs: limits.blockingTimeoutMs,
    cards: cardFacts(config),
    onFault,
  });
  const http = createHttpServer({
    edge,
    options: {
      ...config.server,
      versions: limits.versions,
    },
    health: () => health.check(),
    onFault,
  });

  let httpUrl: string | null = null;
  const control = createControlServer({
    ledger,
    service,
    personas,
    access: keys,
    clock,
    log: { error: (facts, message) => logger.error(facts, message) },
    health: () => health.check(),
    info: () => ({
      version: nuncioVersion(),
      dataDir: config.dataDir,
      startedAt,
      listeners: { http: httpUrl, grpc: null, console: null },
      draining: worker.draining,
      slots: worker.slots,
      running: (tenant, persona) => worker.runningOf(tenant, persona),
    }),
  });

  return {
    worker,
    retention,
    edge,
    http,
    control,
    setHttpUrl: (url) => {
      httpUrl = url;
    },
    async closeLedger() {
      followers.close();
      await ledger.close();
    },
  };
}
