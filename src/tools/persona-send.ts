import { z } from "zod";
import type { Persona } from "../personas/persona.js";
import type { PersonaRegistry } from "../personas/registry.js";
import type { Clock } from "../shared/clock.js";
import { NuncioError } from "../shared/errors.js";
import { derivedId } from "../shared/ids.js";
import type { Attempt } from "../tasks/attempt.js";
import { bodyHash } from "../tasks/body-hash.js";
import type { Submitted, TaskLedger } from "../tasks/ledger.js";
import type { Message } from "../tasks/message.js";
import { isTerminal } from "../tasks/task-state.js";
import { flag, milliseconds, text } from "./arguments.js";
import { checkHops, type DelegationLimits } from "./delegation-guard.js";
import { type HostResult, hostTool, result } from "./host-tool.js";
import { maySend, maySendTo, SEND_NEEDS, sendCapability } from "./send-capability.js";
import { taskAnswer } from "./task-answer.js";

const DAY_MS = 86_400_000;

const args = z.strictObject({
  target_persona: text(200).describe("Name of the persona that shall do the work"),
  message: text(1024 * 1024).describe("What it shall do; it sees only this text"),
  await_reply: flag.default(false).describe("Wait for the reply and return it"),
  timeout_ms: milliseconds(DAY_MS).default(300_000).describe("How long to wait with await_reply, in ms"),
});

/**
 * Delegates work to another persona.
 *
 * The id of the child hangs on the parent, the call and the recorded time of the call, so a repeated call finds the child
 * that is already there. If we die before the child is committed, the start of the call is gone with it, and the next
 * attempt delegates anew; if we die after, both are there, and with `last` the parked parent, too.
 */
export function personaSend(house: {
  ledger: TaskLedger;
  personas: PersonaRegistry;
  limits: DelegationLimits;
  clock: Clock;
}) {
  return hostTool({
    name: "persona_send",
    description:
      "Hands work to another persona. Returns { task_id, status } at once, or with await_reply the reply of the " +
      "persona; when it takes longer than timeout_ms, status is timeout, the work goes on, and persona_task_status gets the result later.",
    args,
    offeredTo: maySend,
    needs: SEND_NEEDS,
    idempotent: true,
    capability: ({ target_persona }) => sendCapability(target_persona),
    check({ target_persona }, { attempt, persona }) {
      checkTarget(house.personas, persona, target_persona);
      checkHops(attempt.task.hop, house.limits.maxHops);
    },
    async run({ target_persona, message, await_reply, timeout_ms }, call) {
      const { attempt } = call;
      const repeated = call.started !== undefined;
      const { at } = call.start();
      const id = derivedId(attempt.task.id, call.callId, at);
      const until = at + timeout_ms;
      const tenant = house.ledger.forTenant(attempt.task.tenant);

      let child = repeated ? await tenant.snapshot(id) : null;
      if (child === null) {
        const submitted = await delegate(attempt, house.limits, {
          id,
          target: target_persona,
          message: { messageId: `${id}:message`, role: "user", parts: [{ text: message }] },
          awaited: await_reply,
          parkUntil: await_reply && call.last ? until : undefined,
        });
        if (submitted.ended !== undefined) return taskAnswer(submitted.ended);
        if (submitted.parked === true) return { type: "parked" };
        if (await_reply && submitted.created && house.clock.now() < until)
          return { type: "wait", taskIds: [id], until };
        child = await_reply ? await tenant.snapshot(id) : null;
      }
      if (!await_reply) return accepted(id);
      if (child !== null && isTerminal(child.state)) return taskAnswer(child);
      if (house.clock.now() < until) return { type: "wait", taskIds: [id], until };
      return timedOut(id, timeout_ms);
    },
  });
}

function checkTarget(personas: PersonaRegistry, sender: Persona, target: string): void {
  if (personas.get(sender.tenant, target) !== undefined) {
    if (maySendTo(sender, target)) return;
    throw new NuncioError(
      "permission_denied",
      `target_persona: ${sender.name} may not send to ${JSON.stringify(target)}`,
      {
        field: "target_persona",
        hint: `it needs the capability ${sendCapability(target)}`,
      },
    );
  }
  const targets = personas
    .inTenant(sender.tenant)
    .filter(({ name }) => name !== sender.name && maySendTo(sender, name))
    .map(({ name }) => name);
  throw new NuncioError("invalid_argument", `target_persona: no persona ${JSON.stringify(target)} is loaded`, {
    field: "target_persona",
    hint:
      targets.length === 0 ? "no other persona is loaded that it may send to" : `it may send to: ${targets.join(", ")}`,
  });
}

function delegate(
  attempt: Attempt,
  limits: DelegationLimits,
  child: { id: string; target: string; message: Message; awaited: boolean; parkUntil: number | undefined },
): Promise<Submitted> {
  const { maxConcurrentPerTarget, maxChildrenPerTask, maxTasksPerRoot, maxTokensPerRoot, bounds } = limits;
  return attempt.delegate({
    id: child.id,
    contextId: attempt.task.contextId,
    persona: child.target,
    principal: `persona:${attempt.task.persona}`,
    message: child.message,
    bodyHash: bodyHash(child.message),
    maxAttempts: limits.maxAttempts,
    guards: { maxConcurrentPerTarget, maxChildrenPerTask, maxTasksPerRoot, maxTokensPerRoot },
    ...(bounds === undefined ? {} : { bounds }),
    awaited: child.awaited,
    ...(child.parkUntil === undefined ? {} : { park: { until: child.parkUntil } }),
  });
}

const accepted = (taskId: string): HostResult => result({ task_id: taskId, status: "pending" });

const timedOut = (taskId: string, timeoutMs: number): HostResult =>
  result({
    task_id: taskId,
    status: "timeout",
    message: `no reply within ${timeoutMs} ms; the task goes on: get its result with persona_task_status`,
  });
