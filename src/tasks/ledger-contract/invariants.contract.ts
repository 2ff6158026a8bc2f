import { expect } from "vitest";
import { applyEvent, emptyFold, type Folded } from "../fold.js";
import type { QueueFacts, TaskLedger } from "../ledger.js";
import { laneOf, type Task } from "../task.js";
import type { TaskEvent } from "../task-event.js";
import { isRunning, isTerminal } from "../task-state.js";
import type { World } from "./world.contract.js";

/** What is true of every ledger at every moment between two commands, whatever has been done to it. */
export async function checkInvariants(world: World): Promise<void> {
  const tasks = await allTasks(world.ledger);
  for (const task of tasks) {
    const events = await world.ledger.forTenant(task.tenant).events(task.id, 0, 100_000);
    checkNumbers(task, events);
    checkAnnounced(world, task, events);
    await checkFold(world, task, events);
    if (isTerminal(task.state)) checkEnded(world, task);
    else await checkWait(world, task, tasks);
  }
  checkLanes(world, tasks);
}

/** Invariant 3: event numbers have no gap and no duplicate, and the task knows the last one. */
function checkNumbers(task: Task, events: readonly TaskEvent[]): void {
  expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: task.seq }, (_, index) => index + 1));
}

/** Invariant 2: every event was announced, once and in order, and the last announcement says where the task stands. */
function checkAnnounced(world: World, task: Task, events: readonly TaskEvent[]): void {
  const changes = world.changes.filter(({ tenant, taskId }) => tenant === task.tenant && taskId === task.id);
  expect(changes.flatMap((change) => change.events ?? [])).toEqual(events);
  const { state, seq, runAt } = changes.at(-1) ?? {};
  expect({ state, seq, runAt }).toEqual({ state: task.state, seq: task.seq, runAt: task.runAt });
}

/** Invariant 3: the task as it stood at event n is the fold of events 1 to n. A task that has ended has no more. */
async function checkFold(world: World, task: Task, events: readonly TaskEvent[]): Promise<void> {
  const folded = emptyFold();
  for (const event of events) {
    expect(isTerminal(folded.state), `event ${event.seq} of a task that had ended`).toBe(false);
    applyEvent(folded, event);
    if (event.seq === task.seq) break;
    const then = await world.ledger.forTenant(task.tenant).snapshot(task.id, event.seq);
    expect(then).toMatchObject(structuredClone(folded));
  }
  // Being claimed is no event, so that only the row knows of it.
  const now: Folded = { ...folded, state: task.state, updatedAt: task.updatedAt };
  if (task.state === "claimed") expect(folded.state).toBe("pending");
  else expect(folded.state).toBe(task.state);
  expect(await world.ledger.forTenant(task.tenant).snapshot(task.id)).toMatchObject(now);
}

/** Invariant 6: a task that has ended never changes again. */
function checkEnded(world: World, task: Task): void {
  const before = world.ended.get(`${task.tenant}/${task.id}`);
  if (before !== undefined) expect(task).toEqual(before);
  world.ended.set(`${task.tenant}/${task.id}`, task);
}

/** Nobody waits for what will not come: not for a task that has ended, and not without saying what is asked. */
async function checkWait(world: World, task: Task, tasks: readonly Task[]): Promise<void> {
  const facts = (await world.ledger.system.queueFacts(task.tenant, task.id)) as QueueFacts;
  if (task.state !== "waiting") {
    expect({ waitingFor: task.waitingFor, asking: task.askingChildId, wakeAt: facts.wakeAt }).toEqual({
      waitingFor: null,
      asking: null,
      wakeAt: null,
    });
    expect(facts.awaited).toEqual([]);
    return;
  }
  const asks = task.waitingFor === "input" || task.waitingFor === "auth";
  if (asks && task.askingChildId === null) {
    expect(facts.awaited, "a task that asks awaits nobody").toEqual([]);
    return;
  }
  const said = world.awaited.get(task.id) ?? [];
  expect(facts.awaited.map(({ id }) => id).sort()).toEqual([...said].sort());
  const asking = facts.awaited.filter(({ waitingFor }) => waitingFor === "input" || waitingFor === "auth");
  const questions = asking.map((child) => ({ leaf: child.askingChildId ?? child.id, for: child.waitingFor }));
  if (task.waitingFor === "reply") {
    expect(questions, "a question that its awaiter does not relay").toEqual([]);
  } else {
    expect(questions).toContainEqual({ leaf: task.askingChildId, for: task.waitingFor });
    const leaf = tasks.find(({ id }) => id === task.askingChildId);
    expect(leaf).toMatchObject({ state: "waiting", waitingFor: task.waitingFor, askingChildId: null });
  }
}

/** At most one task of a lane runs or may be claimed, and while some are pending, something holds the lane. */
function checkLanes(world: World, tasks: readonly Task[]): void {
  const ordered = tasks.filter(({ state, parentId }) => parentId === null && !isTerminal(state));
  const laneIn = (task: Task) => `${task.tenant}: ${laneOf(task)}`;
  for (const lane of new Set(ordered.map(laneIn))) {
    const inLane = ordered.filter((task) => laneIn(task) === lane);
    const runnable = ({ tenant, id }: Task) =>
      world.changes.findLast((change) => change.tenant === tenant && change.taskId === id)?.runnable === true;
    const active = inLane.filter((task) => isRunning(task.state) || runnable(task));
    expect(active.length, `tasks of lane ${lane} that run or may be claimed`).toBeLessThanOrEqual(1);
    const holders = inLane.filter(({ waitingFor }) => waitingFor === "reply" || waitingFor === "approval");
    if (inLane.some(({ state }) => state === "pending")) expect(active.length + holders.length).toBeGreaterThan(0);
  }
}

export async function allTasks({ system }: TaskLedger): Promise<Task[]> {
  const tasks: Task[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await system.list({ limit: 100, ...(cursor === undefined ? {} : { cursor }) });
    tasks.push(...page.items);
    if (page.nextCursor === null) return tasks;
    cursor = page.nextCursor;
  }
}
