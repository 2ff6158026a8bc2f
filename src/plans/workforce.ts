import { invalidArgument, NuncioError } from "../shared/errors.js";
import { newId } from "../shared/ids.js";
import type { Assignee } from "./assignment.js";
import type { PlannedTask } from "./plan.js";
import type { NewDispatch } from "./plan-store.js";
import { stepOf } from "./refusals.js";

/** Who is there to do a step, as of now: the configuration changes meanwhile. */
export interface Workforce {
  hosts(tenant: string, persona: string): boolean;
  /** A pinned peer; undefined when there is none of that name. */
  peerOf(name: string): { pinDigest: string; slots: number } | undefined;
}

interface Wanted {
  step: string;
  /** `native`, or the name of a pinned peer. */
  runtime: string;
  /** For `native`: instead of the persona that the step names. */
  persona?: string | undefined;
}

/** @throws NuncioError invalid_argument for somebody who is not there */
export function assigneeOf(
  { tenant, plan }: Pick<PlannedTask, "tenant" | "plan">,
  { step, runtime, persona }: Wanted,
  { hosts, peerOf }: Workforce,
): Assignee {
  if (runtime !== "native") {
    if (peerOf(runtime) === undefined) {
      throw invalidArgument("runtime", `no peer ${JSON.stringify(runtime)} is pinned`, {
        hint: "use native for a persona; `nuncio a2a peers` shows the pinned peers",
      });
    }
    if (persona !== undefined) throw invalidArgument("persona", "a peer does it: no persona can be named");
    return { runtime: "peer", peer: runtime };
  }
  const name = persona ?? stepOf(plan, step).persona;
  if (name === undefined) {
    throw invalidArgument("persona", `step ${JSON.stringify(step)} names no persona`, {
      hint: "name one with --persona",
    });
  }
  if (!hosts(tenant, name)) {
    throw invalidArgument("persona", `persona ${JSON.stringify(name)} is not hosted in tenant ${tenant}`, {
      hint: "`nuncio persona list` shows the personas",
    });
  }
  return { runtime: "native", persona: name };
}

/** The configuration may have changed since it was assigned: nobody would ever take the task. */
export function refuseAbsent(tenant: string, assignee: Assignee, { hosts }: Pick<Workforce, "hosts">): void {
  if (assignee.runtime === "peer" || hosts(tenant, assignee.persona)) return;
  const { persona } = assignee;
  throw new NuncioError("failed_precondition", `persona ${JSON.stringify(persona)} is hosted here no more`, {
    reason: "PERSONA_NOT_HOSTED",
    hint: "assign the step to another one; `nuncio persona list` shows the personas",
  });
}

/** What is noted of the dispatch to a peer, by its pin as of now; undefined for a persona, which needs none. */
export function dispatchTo(
  assignee: Assignee,
  deadlineMs: number | undefined,
  now: number,
  { peerOf }: Pick<Workforce, "peerOf">,
): NewDispatch | undefined {
  if (assignee.runtime === "native") {
    if (deadlineMs === undefined) return undefined;
    throw invalidArgument("deadline", "a deadline is for peers; a persona's own settings bound its runs");
  }
  const { peer } = assignee;
  const pinned = peerOf(peer);
  if (pinned === undefined) {
    throw new NuncioError("failed_precondition", `peer ${JSON.stringify(peer)} is pinned no more`, {
      reason: "PEER_NOT_PINNED",
      hint: "`nuncio a2a peers` shows the pinned peers",
    });
  }
  const deadlineAt = deadlineMs === undefined ? null : now + deadlineMs;
  return { peer, runId: newId(), pinDigest: pinned.pinDigest, slots: pinned.slots, deadlineAt };
}
