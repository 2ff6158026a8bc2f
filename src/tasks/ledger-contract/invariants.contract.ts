import { expect } from "vitest";
import { applyEvent, emptyFold, type Folded } from "../fold.js";
import type { QueueFacts, TaskLedger } from "../ledger.js";
import { laneOf, type Task } from "../task.js";
import type { TaskEvent } from "../task-event.js";
import { isRunning, isTerminal } from "../task-state.js";
import type { World } from "./world.contract.js";

/** At so many moments of a long history the task is looked at as it then stood. */
const MOMENTS = 50;

/** What is true of every ledger between two commands, whatever has been done to it. */
export async function checkInvariants(world: World): Promise<void> {
  const tasks = await allTasks(world.ledger);
  const changed = new Set<Task>();
  for (const task of tasks) {
    const checked = world.changedSince(task);
    if (checked !== null) {
      changed.add(task);
      await checkHistory(world, task, checked);
    }
    if (checked !== null || task.state === "waiting") await checkWait(world, task, tasks);
  }
  checkLanes(world, tasks);
  await checkLists(world, tasks, changed);
}

/** Each agent's list holds all of its tasks, in the order of what is shown of them, and knows how many they are. */
async function checkLists({ ledger, bare, now }: World, tasks: readonly Task[], changed: Set<Task>): Promise<void> {
  const agents = new Map([...changed].map(({ tenant, persona }) => [`${tenant}/${persona}`, { tenant, persona }]));
  for (const { tenant, persona } of agents.values()) {
    const query = { persona, limit: 1000, historyLength: 0, artifacts: false, mostCharacters: 1_000_000, now };
    const { tasks: listed, total } = await ledger.forTenant(tenant).listed(query);
    expect(total, `the total of ${persona}`).toBe(listed.length);
    const order = listed.map(({ statusAt, id }) => ({ statusAt, id }));
    expect(order).toEqual([...order].sort((a, b) => b.statusAt - a.statusAt || (a.id < b.id ? 1 : -1)));
    const shown = (all: readonly Task[]) =>
      all
        .map(({ id }) => id)
        .filter((id) => !bare.has(id))
        .sort();
    expect(shown(listed), `the list of ${persona}`).toEqual(
      shown(tasks.filter((task) => task.tenant === tenant && task.persona === persona)),
    );
    for (const { id, state, waitingFor, statusAt, started, statusMessage } of listed) {
      if (![...changed].some((task) => task.tenant === tenant && task.id === id)) continue;
      const status = { state, waitingFor, statusAt, started, statusMessage };
      expect(await ledger.forTenant(tenant).snapshot(id), "as the list shows it").toMatchObject(status);
    }
  }
}

/** Invariant 3: the task as it stood at event n is the fold of events 1 to n. Those up to `checked` have been looked at. */
async function checkHistory(world: World, task: Task, checked: number): Promise<void> {
  const tenant = world.ledger.forTenant(task.tenant);
  const events = await tenant.events(task.id, 0, 100_000);
  checkNumbers(task, events);
  checkAnnounced(world, task, events);
  checkEnd(task, events);

  const folded = emptyFold();
  const every = Math.ceil(events.length / MOMENTS);
  for (const event of events.slice(0, -1)) {
    applyEvent(folded, event);
    if (event.seq < checked || event.seq % every > 0) continue;
    expect(await tenant.snapshot(task.id, event.seq), `as it stood at event ${event.seq}`).toMatchObject(folded);
  }
  applyEvent(folded, events.at(-1) as TaskEvent);
  // Being claimed is no event, so that only the row knows of it.
  expect(folded.state).toBe(task.state === "claimed" ? "pending" : task.state);
  const now: Folded = { ...folded, state: task.state, updatedAt: task.updatedAt };
  expect(await tenant.snapshot(task.id), "as it stands now").toMatchObject(now);
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

/** Invariant 6: the event that ends a task is its last. */
function checkEnd(task: Task, events: readonly TaskEvent[]): void {
  const end = events.findIndex((event) => event.type === "status" && isTerminal(event.state));
  expect(end).toBe(isTerminal(task.state) ? events.length - 1 : -1);
}

/** Nobody waits for what will not come, and whoever awaits a task that asks shows its question. */
async function checkWait(world: World, task: Task, tasks: readonly Task[]): Promise<void> {
  const { awaited, wakeAt } = (await world.ledger.system.queueFacts(task.tenant, task.id)) as QueueFacts;
  await checkApprovals(world, task);
  const asksItself = asks(task) && task.askingChildId === null;
  if (task.state !== "waiting" || asksItself) {
    expect({ awaited, wakeAt, relays: task.askingChildId }).toEqual({ awaited: [], wakeAt: null, relays: null });
    return;
  }
  expect(awaited.map(({ id }) => id).sort(), "what it said it awaits").toEqual(
    [...(world.awaited.get(task.id) ?? [])].sort(),
  );
  const questions = awaited.filter(asks).map((child) => child.askingChildId ?? child.id);
  if (task.waitingFor === "reply" || task.waitingFor === "approval") {
    expect(questions, "questions that it does not relay").toEqual([]);
  } else {
    expect(questions, "the question that it relays").toContain(task.askingChildId);
    const asking = tasks.find(({ id }) => id === task.askingChildId);
    expect(asking).toMatchObject({ state: "waiting", waitingFor: task.waitingFor, askingChildId: null });
  }
}

/** Whoever waits for the operator has asked something, and nothing is asked for what has ended. */
async function checkApprovals(world: World, task: Task): Promise<void> {
  const { items } = await world.ledger.system.approvals.list({ taskId: task.id, limit: 100 });
  if (isTerminal(task.state)) expect(items, "what is asked for a task that has ended").toEqual([]);
  if (task.waitingFor === "approval") expect(items, "what is asked").not.toEqual([]);
}

/** At most one task of a lane runs or may be claimed; and while some are pending, something holds the lane. */
function checkLanes(world: World, tasks: readonly Task[]): void {
  const lanes = new Map<string, Task[]>();
  for (const task of tasks) {
    if (task.parentId !== null || isTerminal(task.state)) continue;
    const lane = `${task.tenant}: ${laneOf(task)}`;
    lanes.set(lane, [...(lanes.get(lane) ?? []), task]);
  }
  for (const [lane, inLane] of lanes) {
    const active = inLane.filter((task) => isRunning(task.state) || world.isRunnable(task));
    expect(active.length, `tasks of ${lane} that run or may be claimed`).toBeLessThanOrEqual(1);
    const holding = inLane.filter((task) => task.state === "waiting" && !asks(task));
    const pending = inLane.filter(({ state }) => state === "pending");
    expect(pending.length === 0 || active.length + holding.length > 0, `${lane} goes on`).toBe(true);
  }
}

const asks = ({ waitingFor }: Task): boolean => waitingFor === "input" || waitingFor === "auth";

export async function allTasks({ system }: TaskLedger): Promise<Task[]> {
  const tasks: Task[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await system.list({ limit: 100, ...(cursor === undefined ? {} : { cursor }) });
    tasks.push(...page.items);
    if (page.nextCursor === null) return tasks;
    cursor = page.nextCursor;
  }
}
