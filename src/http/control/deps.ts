import type { AdmissionFacts } from "../../a2a/server/admission/admission-counts.js";
import type { OperationDeps } from "../../a2a/server/operations/operation.js";
import type { KeyStore, TenantStore } from "../../access/access-store.js";
import type { AgentTokenIssuer } from "../../access/agent-tokens/agent-token-issuer.js";
import type { Rotated } from "../../access/sealing/rotate.js";
import type { Outbound } from "../../outbound/outbound.js";
import type { PeerDesk } from "../../peers/desk.js";
import type { PersonaRegistry } from "../../personas/registry.js";
import type { Granting } from "../../plans/granting.js";
import type { PlannedTasks } from "../../plans/planned-tasks.js";
import type { Clock } from "../../shared/clock.js";
import type { TaskLedger } from "../../tasks/ledger.js";
import type { TaskService } from "../../tasks/task-service.js";
import type { Reloaded } from "./schema/reload.js";

/** What the operations of the control API are made of. */
export interface ControlDeps {
  ledger: TaskLedger;
  service: TaskService;
  personas: PersonaRegistry;
  planned(): Promise<PlannedTasks>;
  granting(): Promise<Granting>;
  access: { keys: KeyStore; tenants: TenantStore; agentTokens: AgentTokenIssuer };
  /** How agents are spoken to: those of this daemon by the operations of A2A themselves, others by the way out. */
  a2a: { operations: OperationDeps; outbound: () => Promise<Outbound> };
  /** Pinned peers; `check` looks at one now, and what it finds stands in the registry. */
  peers: PeerDesk & { check(name: string, signal?: AbortSignal): Promise<void> };
  /** Seals all that is stored of secrets with a new key. */
  rotateSealing(): Promise<Rotated>;
  /** Takes the configuration file as it is now. Throws what is wrong with it, and has then changed nothing. */
  reload(): Promise<Reloaded>;
  info: () => DaemonFacts;
  health(): Promise<LedgerHealth>;
  /** Told of errors that are ours; callers see only that there was one, and the request's id. */
  log: { error(facts: { err: unknown; requestId: string; operation: string }, message: string): void };
  clock: Clock;
}

/** Whether the ledger takes what is written; without it submissions are refused, and running work is kept. */
export type LedgerHealth = { available: true } | { available: false; reason: string; forMs: number };

export interface DaemonFacts {
  version: string;
  dataDir: string;
  /** Milliseconds since the epoch. */
  startedAt: number;
  /** Base URLs as bound, e.g. `http://127.0.0.1:4700`; null where a listener is off. */
  listeners: { http: string | null; grpc: string | null; console: string | null; admission: string | null };
  /** Of the listener for peers; null where there is none. */
  admission: AdmissionFacts | null;
  /** Shutting down: nothing new is claimed. */
  draining: boolean;
  slots: { used: number; total: number };
  /** Running attempts of a persona in this process. */
  running(tenant: string, persona: string): number;
  /** Agents outside that a task waits for, as far as this process knows. */
  outside(taskId: string): string[];
}
