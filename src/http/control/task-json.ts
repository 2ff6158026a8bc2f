import { whyPeer } from "../../peers/why-peer.js";
import { peerOf } from "../../plans/assignment.js";
import { notFound } from "../../shared/errors.js";
import type { QueueFacts } from "../../tasks/ledger.js";
import type { Artifact, Message } from "../../tasks/message.js";
import type { Task } from "../../tasks/task.js";
import type { TaskEvent } from "../../tasks/task-event.js";
import { isTerminal } from "../../tasks/task-state.js";
import { why } from "../../tasks/why.js";
import type { ControlDeps } from "./deps.js";
import type { FoundTask } from "./find-task.js";
import { toTimestamp } from "./schema/fields.js";
import type { TaskDetail, TaskSummary } from "./schema/task.js";
import type { TaskEventJson } from "./schema/task-event.js";

/** Our tasks as the control API shows them. */
export function summaryOf(task: Task): TaskSummary {
  return {
    id: task.id,
    tenant: task.tenant,
    contextId: task.contextId,
    persona: task.persona,
    principal: task.principal,
    state: task.state,
    waitingFor: task.waitingFor,
    askingChildId: task.askingChildId,
    trigger: task.trigger,
    attempt: task.attempt,
    parentId: task.parentId,
    rootId: task.rootId,
    hop: task.hop,
    retryOf: task.retryOf,
    createdAt: toTimestamp(task.createdAt),
    updatedAt: toTimestamp(task.updatedAt),
  };
}

export async function detailOf({ task, tenant, ledger }: FoundTask, deps: ControlDeps): Promise<TaskDetail> {
  const [current, children, facts] = await Promise.all([
    ledger.snapshot(task.id),
    ledger.children(task.id),
    deps.ledger.system.queueFacts(tenant, task.id),
  ]);
  if (current === null) throw notFound("task", task.id);
  return {
    ...summaryOf(current),
    maxAttempts: facts?.maxAttempts ?? current.attempt,
    seq: current.seq,
    tokens: { input: current.inputTokens, output: current.outputTokens },
    messages: current.history.map(messageJson),
    statusMessage: current.statusMessage === null ? null : messageJson(current.statusMessage),
    artifacts: current.artifacts.map(artifactJson),
    children: children.map(summaryOf),
    why: facts === null ? null : await whyOf(facts, deps),
  };
}

/** The sentence about a task that is not moving, with what this process knows about its slots and its peers. */
export async function whyOf(facts: QueueFacts, { info, personas, peers, clock }: ControlDeps): Promise<string | null> {
  const { tenant, persona, id } = facts.task;
  const peer = peerOf(persona);
  const pinned = peer === null ? undefined : peers.registry.get(peer);
  if (peer !== null) {
    const dispatch = await peers.store.dispatch(tenant, id);
    const sentence = dispatch === null ? null : whyPeer(facts, dispatch, pinned, clock.now());
    if (sentence !== null) return sentence;
  }
  if (isTerminal(facts.task.state)) return null;
  const { draining, slots, running, outside } = info();
  const hosted = pinned === undefined ? personas.get(tenant, persona) : { maxConcurrent: pinned.pin.slots };
  return why(
    facts,
    {
      draining,
      slots,
      persona: hosted === undefined ? null : { used: running(tenant, persona), total: hosted.maxConcurrent },
      outside: outside(id),
    },
    clock.now(),
  );
}

export function eventJson(event: TaskEvent): TaskEventJson {
  const { seq } = event;
  const at = toTimestamp(event.at);
  switch (event.type) {
    case "message":
      return { seq, at, type: "message", message: messageJson(event.message) };
    case "status": {
      const { state, waitingFor, childId, message } = event;
      return {
        seq,
        at,
        type: "status",
        state,
        ...(waitingFor !== undefined && { waitingFor }),
        ...(childId !== undefined && { childId }),
        ...(message !== undefined && { message: messageJson(message) }),
      };
    }
    case "artifact": {
      const { artifact, append, lastChunk } = event;
      return { seq, at, type: "artifact", artifact: artifactJson(artifact), append, lastChunk };
    }
  }
}

const messageJson = (message: Message) => ({ ...message, parts: [...message.parts] });

const artifactJson = (artifact: Artifact) => ({ ...artifact, parts: [...artifact.parts] });
