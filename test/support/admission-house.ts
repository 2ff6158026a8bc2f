import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OperationDeps } from "../../src/a2a/server/operations/operation.js";
import type { PushDesk } from "../../src/a2a/server/push/push-desk.js";
import { credentialDigest } from "../../src/access/credentials/credential.js";
import { parsePlan } from "../../src/config/parse-plan.js";
import { type Admission, composeAdmission } from "../../src/daemon/admission.js";
import type { ScriptRule } from "../../src/personas/persona.js";
import type { Grant } from "../../src/plans/grant.js";
import type { GrantObject } from "../../src/plans/grant-object.js";
import { Granting } from "../../src/plans/granting.js";
import { PlannedTasks } from "../../src/plans/planned-tasks.js";
import { ScriptedRunner } from "../../src/runtimes/scripted/scripted-runner.js";
import { escapeDangerous } from "../../src/shared/dangerous-characters.js";
import { newId } from "../../src/shared/ids.js";
import { sqlGrantStore } from "../../src/store/grants/grant-store.js";
import { QueueRoom } from "../../src/store/ledger/queue-room.js";
import { sqlPeerStore } from "../../src/store/peers/peer-store.js";
import { sqlPlanStore } from "../../src/store/plans/plan-store.js";
import { sqlLedger } from "../../src/store/sql-ledger.js";
import { openSqlite } from "../../src/store/sqlite/open-sqlite.js";
import { TaskFollowers } from "../../src/tasks/follow.js";
import { ledgerTaskService } from "../../src/tasks/ledger-task-service.js";
import { Worker } from "../../src/tasks/worker.js";
import { createLogger } from "../../src/telemetry/logger.js";
import { fence, newNonce } from "../../src/tools/fence.js";

const planOf = (steps: readonly string[]) => `
schema: 1
title: a review
steps: [${steps.map((id) => `{ id: ${id}, instruction: "the instruction of the operator", persona: analyst }`).join(", ")}]
checks: [{ name: green, command: "true" }]
limits: { invocations: 1000, token_units: null }
`;

/** A grant, with the token that nobody but its peer has. */
export interface Let {
  object: GrantObject;
  token: string;
  assignment: string;
  planId: string;
}

/**
 * The listener for peers over a real ledger and worker, in this process, as the daemon puts it together. Only the clock is the
 * test's.
 */
export class AdmissionHouse {
  now = 1_800_000_000_000;
  readonly clock = { now: () => this.now };
  readonly folder = mkdtempSync(join(tmpdir(), "nuncio-admission-"));
  readonly file = join(this.folder, "listener.json");
  readonly faults: unknown[] = [];
  readonly #database = openSqlite(":memory:");
  readonly #room = new QueueRoom();
  readonly ledger = sqlLedger(this.#database, this.#room);
  readonly grants = sqlGrantStore(this.#database, this.#room);
  readonly plans = sqlPlanStore(this.#database, this.#room);
  readonly receipts = sqlPeerStore(this.#database);
  readonly planned: PlannedTasks;
  readonly #followers = new TaskFollowers(this.ledger);
  readonly #worker: Worker;
  readonly #digests = new Map<string, string>();
  readonly #granting: Granting;
  readonly admission: Admission;
  readonly #objects: GrantObject[] = [];
  #made = 0;

  constructor(rules: readonly ScriptRule[]) {
    const { clock, ledger } = this;
    const runner = new ScriptedRunner(() => rules, clock);
    this.#worker = new Worker({
      ...{ ledger, owner: newId(), clock, alone: true, runnerFor: () => runner, tools: () => NO_TOOLS },
      personas: [{ tenant: "default", name: "analyst", maxConcurrent: 8 }],
      ...{ concurrency: 8, leaseMs: 3_600_000, backoffBaseMs: 10, backoffMaxMs: 50 },
      onError: (error) => this.faults.push(error),
    });
    this.planned = new PlannedTasks({
      ...{ store: this.plans, clock, parsePlan, newNonce, excluded: [] },
      profiles: () => [],
      hosts: () => true,
      peerOf: () => ({ pinDigest: "sha256:0", slots: 1 }),
      runCheck: async ({ name }) => ({ name, green: true, exitCode: 0, ms: 0, output: "" }),
      fence: (text, label) => fence(text, label, newNonce()),
      newTasks: () => ({ maxAttempts: 1, bounds: { perPersona: 1000, perTenant: 1000 } }),
    });
    this.#granting = new Granting({
      ...{ store: this.grants, clock, pinnedWith: () => undefined },
      digestOf: (file) => this.#digests.get(file) as string,
    });
    const tasks = ledgerTaskService({ ledger, worker: this.#worker, clock, maxAttempts: 1 });
    const core = { ledger, tasks, followers: this.#followers, pushes: {} as PushDesk, clock };
    const onFault = (error: unknown) => void this.faults.push(error);
    this.admission = composeAdmission({
      file: this.file,
      stores: async () => ({ grants: this.grants, plans: this.plans }),
      core: { ...core, answersWithMessage: () => false },
      operations: {
        ...core,
        core: undefined,
        versions: ["1.0"],
        blockingTimeoutMs: 1000,
        onFault,
      } as unknown as OperationDeps,
      submission: (...work) => this.planned.submission(...work),
      hosts: (_tenant, persona) => persona === "analyst",
      ...{ clock, logger: createLogger("silent", escapeDangerous) },
    });
  }

  async start(): Promise<void> {
    this.write();
    await this.admission.load();
    await this.admission.listen();
    this.#worker.start();
  }

  get url(): string {
    return this.admission.facts()?.url as string;
  }

  /** The file as the operator would have it. */
  write(grants: readonly unknown[] = this.#objects, more: object = {}): void {
    const content = { schema: 1, host: "127.0.0.1", port: 0, ...more, grants };
    writeFileSync(this.file, JSON.stringify(content), { mode: 0o600 });
  }

  async reload(): Promise<void> {
    (await this.admission.prepare())();
  }

  async assignment(
    prepared: { steps?: readonly string[]; profile?: string; runtime?: string } = {},
  ): Promise<{ id: string; planId: string }> {
    const { steps = ["look"], profile = "nuncio/reviewer", runtime = "native" } = prepared;
    const { plan } = await this.planned.create({
      ...{ text: planOf(steps), file: "plan.yaml", workspace: this.folder, tenant: "default" },
    });
    const { assignment } = await this.planned.assign({
      ...{ planId: plan.id, step: steps[0] as string, profile, runtime, invocations: 10, revision: 1 },
    });
    return { id: assignment.id, planId: plan.id };
  }

  /** A grant for an assignment of its own, known to the listener. */
  async let(
    wanted: { peer?: string; token?: string; assignment?: string; peerClient?: Grant["peerClient"] } = {},
  ): Promise<Let> {
    this.#made += 1;
    const { peer = `peer-${this.#made}`, token = `token-of-${newId()}`, peerClient = null } = wanted;
    const made = wanted.assignment === undefined ? await this.assignment() : { id: wanted.assignment, planId: "" };
    const credentialFile = join(this.folder, `${this.#made}.json`);
    this.#digests.set(credentialFile, credentialDigest(token));
    const object = await this.#granting.make({
      ...{ assignment: made.id, peer, credentialFile, tenant: "project-one", skill: "review", peerClient },
      expiresInSeconds: 3600,
    });
    const same = this.#objects.findIndex(({ credentialDigest: digest }) => digest === object.credentialDigest);
    if (same >= 0) this.#objects.splice(same, 1);
    this.#objects.push(object);
    this.write();
    await this.reload();
    return { object, token, assignment: made.id, planId: made.planId };
  }

  async revoke(id: string): Promise<void> {
    await this.#granting.revoke(id);
  }

  async tasks(): Promise<number> {
    return (await this.ledger.forTenant("default").list({ limit: 1000 })).items.length;
  }

  async close(): Promise<void> {
    this.admission.end();
    await this.admission.close();
    await this.#worker.drain(0);
    this.#followers.close();
    await this.ledger.close();
    rmSync(this.folder, { recursive: true });
  }
}

const NO_TOOLS = { names: [], call: () => Promise.reject(new Error("there are no tools here")) } as never;

export interface PeerCall {
  method?: string;
  params?: unknown;
  path?: string;
  headers?: Record<string, string>;
}

/** What a peer sends of its own: text is all that it decides on. */
export const message = (text: string, more: object = {}): object => ({
  message: { messageId: "m-1", role: "ROLE_USER", parts: [{ text }], ...more },
  tenant: "project-one",
});

/** Calls as a peer of the standard does, unless it is said otherwise. */
export async function callAs(house: AdmissionHouse, token: string, call: PeerCall = {}) {
  const { method = "SendMessage", params = message("look at it"), path = "/a2a", headers = {} } = call;
  const response = await fetch(house.url + path, {
    method: "POST",
    headers: {
      ...{ authorization: `Bearer ${token}`, "content-type": "application/json", "a2a-version": "1.0" },
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 7, method, params }),
  });
  const text = await response.text();
  // biome-ignore lint/suspicious/noExplicitAny: the tests say what they expect of it
  const json: any = text.startsWith("{") ? JSON.parse(text) : undefined;
  return { status: response.status, headers: response.headers, text, json };
}
