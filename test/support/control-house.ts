import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OperationDeps } from "../../src/a2a/server/operations/operation.js";
import { PushDesk } from "../../src/a2a/server/push/push-desk.js";
import type { AccessStore } from "../../src/access/access-store.js";
import { AgentKeys } from "../../src/access/agent-tokens/agent-keys.js";
import { AgentTokenIssuer } from "../../src/access/agent-tokens/agent-token-issuer.js";
import { readPeerCredential } from "../../src/access/credentials/credential-file.js";
import { KeyRing } from "../../src/access/sealing/key-ring.js";
import { createSealer } from "../../src/access/sealing/sealer.js";
import { connect } from "../../src/client/control-client.js";
import type { Config } from "../../src/config/config.js";
import { composePlans } from "../../src/daemon/plans.js";
import { rotateSealing } from "../../src/daemon/rotate-sealing.js";
import { createControlServer } from "../../src/http/control/server.js";
import { PeerRegistry } from "../../src/peers/peer-registry.js";
import type { Persona, ScriptRule } from "../../src/personas/persona.js";
import { PersonaRegistry } from "../../src/personas/registry.js";
import { Granting } from "../../src/plans/granting.js";
import { ProcessSlots } from "../../src/runtimes/command/process-slots.js";
import { ScriptedRunner } from "../../src/runtimes/scripted/scripted-runner.js";
import { systemClock } from "../../src/shared/clock.js";
import { controlSocketPath } from "../../src/shared/control-socket.js";
import { newId } from "../../src/shared/ids.js";
import { nuncioVersion } from "../../src/shared/version.js";
import { sqlAccessStore } from "../../src/store/access/access-store.js";
import { sqlGrantStore } from "../../src/store/grants/grant-store.js";
import { QueueRoom } from "../../src/store/ledger/queue-room.js";
import { sqlPeerStore } from "../../src/store/peers/peer-store.js";
import { sqlLedger } from "../../src/store/sql-ledger.js";
import { openSqlite } from "../../src/store/sqlite/open-sqlite.js";
import type { TaskLedger } from "../../src/tasks/ledger.js";
import { ledgerTaskService } from "../../src/tasks/ledger-task-service.js";
import { Worker } from "../../src/tasks/worker.js";
import { hostTools, ToolCatalog } from "../../src/tools/catalog.js";
import { toolBoxFactory } from "../../src/tools/tool-box.js";
import { NOTHING_OUTSIDE } from "./nothing-outside.js";

export const scripted = (name: string, rules: ScriptRule[] = [], rest: Partial<Persona> = {}): Persona => ({
  name,
  tenant: "default",
  description: `${name} of the tests`,
  visibility: "private",
  maxConcurrent: 8,
  skills: [],
  capabilities: { allow: ["persona.send:*"], requireApproval: [] },
  streaming: true,
  push: true,
  extendedCard: true,
  followUps: true,
  runtime: { type: "scripted", rules },
  ...rest,
});

function controlAccess(store: AccessStore, hosted: PersonaRegistry, dataDir: string, trustDomain?: string) {
  const clock = systemClock;
  const sealer = createSealer(new KeyRing(join(dataDir, "sealing.json"), clock));
  const keys = new AgentKeys(store, { clock, alone: true });
  return {
    keys: store,
    tenants: store,
    agentTokens: new AgentTokenIssuer({ trustDomain, store, keys, sealer, hosted, clock }),
  };
}

const LIMITS = {
  maxHops: 4,
  maxConcurrentPerTarget: 8,
  maxAttempts: 2,
  maxChildrenPerTask: 20,
  maxTasksPerRoot: 200,
  maxTokensPerRoot: 1_000_000,
};

const BOUNDS = { maxPendingPerPersona: 1000, maxPendingPerTenant: 1000 };

export type ControlHouse = Awaited<ReturnType<typeof startControl>>;

/** The control API on a real socket, over a real ledger and worker, in this process. */
export async function startControl(
  hosted: readonly Persona[],
  { concurrency = 8, trustDomain }: { concurrency?: number; trustDomain?: string } = {},
) {
  const dataDir = mkdtempSync(join(tmpdir(), "nuncio-control-"));
  const database = openSqlite(join(dataDir, "ledger.db"));
  let listeners = 0;
  const room = new QueueRoom();
  const sql = sqlLedger(database, room);
  const ledger: TaskLedger = {
    ...sql,
    onChange(listener) {
      listeners++;
      const stop = sql.onChange(listener);
      return () => {
        listeners--;
        stop();
      };
    },
  };
  const personas = new PersonaRegistry(hosted);
  const clock = systemClock;
  const runner = new ScriptedRunner((task) => {
    const runtime = personas.get(task.tenant, task.persona)?.runtime;
    return runtime?.type === "scripted" ? runtime.rules : [];
  }, clock);
  const faults: unknown[] = [];
  const worker = new Worker({
    ledger,
    owner: newId(),
    clock,
    personas: hosted,
    runnerFor: () => runner,
    tools: toolBoxFactory(
      new ToolCatalog(hostTools({ ...NOTHING_OUTSIDE, ledger, personas, limits: LIMITS, clock })),
      personas,
      {
        ...{ ledger, clock, expireAfterMs: 60_000 },
      },
    ),
    concurrency,
    leaseMs: 30_000,
    backoffBaseMs: 5,
    backoffMaxMs: 10,
    alone: true,
    onError: (error) => faults.push(error),
  });
  worker.start();
  const startedAt = clock.now();
  const ring = new KeyRing(join(dataDir, "sealing.json"), clock);
  const sealer = createSealer(ring);
  const outbound = () => Promise.reject(new Error("there is no way out here"));
  const desk = new PushDesk({ sealer, outbound, maxPerTask: 10 });
  const server = createControlServer({
    ledger,
    service: ledgerTaskService({ ledger, worker, clock, maxAttempts: LIMITS.maxAttempts }),
    personas,
    planned: composePlans({
      config: () => ({ dataDir, profiles: [], a2a: LIMITS, queue: BOUNDS, access: {}, cards: {} }) as unknown as Config,
      ...{ database, room, clock, personas },
      processes: new ProcessSlots(2),
      env: process.env,
      peerOf: () => undefined,
      secretFiles: () => [],
    }).desk,
    granting: async () =>
      new Granting({
        ...{ store: sqlGrantStore(database, room), clock, pinnedWith: () => undefined },
        digestOf: (file, peer) => readPeerCredential(file, peer, { sealer }).digest,
      }),
    access: controlAccess(sqlAccessStore(database), personas, dataDir, trustDomain),
    // Agents are spoken to where there is an edge: test/a2a, test/cli.
    a2a: { operations: { pushes: desk } as OperationDeps, outbound },
    peers: {
      ...{ registry: new PeerRegistry([]), store: sqlPeerStore(database), clock },
      open: () => Promise.reject(new Error("there are no peers here")),
      check: async () => {},
    },
    rotateSealing: rotateSealing(database, { ring, sealer }, () => []),
    health: async () => ({ available: true }),
    reload: async () => ({ personas: { added: [], changed: [], removed: [] }, restartNeeded: [] }),
    info: () => ({
      version: nuncioVersion(),
      dataDir,
      startedAt,
      listeners: { http: "http://127.0.0.1:4700", grpc: null, console: null, admission: null },
      admission: null,
      draining: worker.draining,
      slots: worker.slots,
      running: (tenant, persona) => worker.runningOf(tenant, persona),
      outside: () => [],
    }),
    log: { error: ({ err }) => faults.push(err) },
    clock,
  });
  const socketPath = controlSocketPath(dataDir);
  await server.listen(socketPath);
  return {
    socketPath,
    ledger,
    server,
    client: connect(socketPath),
    sealing: { ring, sealer },
    /** How many listen to the ledger; the worker is one. */
    listeners: () => listeners,
    /** Errors that were ours: none in a test that passes. */
    faults,
    async stop() {
      await server.close();
      await worker.drain(0);
      await ledger.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
