import type { PeerStore } from "../../src/peers/peer-store.js";
import { peerPersona } from "../../src/plans/assignment.js";
import type { GrantStore } from "../../src/plans/grant.js";
import type { PlanStore } from "../../src/plans/plan-store.js";
import { newId } from "../../src/shared/ids.js";
import type { Database } from "../../src/store/sql-ledger.js";
import type { Lease, TaskLedger } from "../../src/tasks/ledger.js";
import { storesOn } from "./stores-on.js";

const TENANT = "acme";

/** A planned task, as far as it has come. */
export interface Prepared {
  planId: string;
  assignmentId: string;
}

/** What an operator has planned, given away and let in, on one database. */
export class PlannedWorld {
  readonly ledger: TaskLedger;
  readonly plans: PlanStore;
  readonly grants: GrantStore;
  readonly peers: PeerStore;
  readonly #leases = new Map<string, Lease>();
  now = Date.UTC(2030, 0, 1);

  constructor(database: Database) {
    const { ledger, plans, grants, peers } = storesOn(database);
    this.ledger = ledger;
    this.plans = plans;
    this.grants = grants;
    this.peers = peers;
  }

  /** With one step, whose files have these texts. */
  async prepare(assignee: "native" | "peer" = "native", files: Record<string, string> = {}): Promise<Prepared> {
    const [planId, assignmentId] = [newId(), newId()];
    const contents = new Map<string, Uint8Array>();
    const snapshot = Object.entries(files).map(([path, text]) => {
      const digest = `sha256:${Buffer.from(text).toString("hex").padEnd(64, "0")}`;
      contents.set(digest, Buffer.from(text));
      return { path, digest, bytes: text.length, leftOut: null };
    });
    await this.plans.create({
      ...{ id: planId, tenant: TENANT, workspace: "/nowhere", snapshotDigest: "sha256:0", files: snapshot, contents },
      plan: {
        title: "a plan",
        steps: [{ id: "read", instruction: "read it", files: [], needs: [] }],
        checks: [{ name: "green", command: "true", args: [], timeoutMs: 1000 }],
        limits: { invocations: 9, tokenUnits: null },
      },
      now: this.now,
    });
    await this.plans.assign({
      ...{ tenant: TENANT, planId, revision: 1, id: assignmentId, step: "read", invocations: 3, now: this.now },
      profile: { name: "nuncio/reviewer", kind: "analysis", text: "Look at it." },
      assignee: assignee === "peer" ? { runtime: "peer", peer: "reviewer" } : { runtime: "native", persona: "analyst" },
    });
    return { planId, assignmentId };
  }

  /** The task that does the work; at a peer when that is given away. */
  async run({ planId, assignmentId }: Prepared, at: "native" | "peer" = "native"): Promise<string> {
    const { child } = await this.plans.run({
      ...{ tenant: TENANT, planId, assignmentId, revision: null, generation: 0, now: this.now },
      submit: {
        ...{ contextId: newId(), newContext: true, trigger: "plan", principal: "operator", lane: null, bodyHash: "aa" },
        persona: at === "peer" ? peerPersona("reviewer") : "analyst",
        message: { messageId: newId(), role: "user", parts: [{ text: "do it" }] },
        ...{ now: this.now, maxAttempts: 3 },
      },
      ...(at === "peer" && {
        dispatch: { peer: "reviewer", runId: newId(), pinDigest: "sha256:1", slots: 9, deadlineAt: null },
      }),
    });
    return child.id;
  }

  grant({ assignmentId }: Prepared): Promise<{ id: string }> {
    const id = newId();
    return this.grants.make({
      ...{ id, assignmentId, peer: "partner", interfaceTenant: "project", skill: "review", peerClient: null },
      ...{ credentialDigest: `sha256:${id}`, createdAt: this.now, expiresAt: this.now + 1000 },
    });
  }

  /** An attempt of the task owns it. Whatever else there is to do for the same is begun as well. */
  async claim(taskId: string, at: "native" | "peer" = "peer"): Promise<Lease> {
    const name = at === "peer" ? peerPersona("reviewer") : "analyst";
    const { claims } = await this.ledger.system.claim({
      ...{ owner: "worker", leaseMs: 60_000, now: this.now, latestRunAt: this.now, limit: 9 },
      personas: [{ tenant: TENANT, name, free: 9 }],
    });
    for (const { lease } of claims) {
      const nothing = { facts: [], steps: [], inputTokens: 0, outputTokens: 0 };
      await this.ledger.system.append({ lease, now: this.now, start: true, ...nothing });
      this.#leases.set(lease.taskId, lease);
    }
    const lease = this.#leases.get(taskId);
    if (lease === undefined) throw new Error(`task ${taskId} was not claimed`);
    return lease;
  }

  /** What attempts of an earlier process had is pending again. */
  async recover(): Promise<void> {
    const running = new Set<string>();
    await this.ledger.system.recover({ now: this.now, limit: 99, owner: "another", running, alone: true });
  }

  /** From here on it counts as sent. */
  intend(lease: Lease, turn = 1): Promise<boolean> {
    return this.peers.intend({
      ...{ lease, turn, messageId: newId(), bodyDigest: "sha256:2", disclosed: [], now: this.now },
    });
  }

  async end(taskId: string): Promise<void> {
    await this.ledger.forTenant(TENANT).cancel({ taskId, reason: "enough", now: this.now });
  }

  purge(rootId: string) {
    const { retention } = this.ledger.system;
    return retention.purgeTree({ tenant: TENANT, rootId, endedBy: this.now, now: this.now });
  }

  async complete({ planId }: Prepared): Promise<void> {
    const { revision } = (await this.plans.plan(TENANT, planId)) as { revision: number };
    const checks = [{ name: "green", green: true, exitCode: 0, ms: 1, output: "" }];
    await this.plans.complete({ tenant: TENANT, planId, revision, checks, now: this.now });
  }
}
