import { beforeEach, describe, expect, it } from "vitest";
import type { TaskChange } from "./ledger.js";
import { RunnablePersonas } from "./runnable-personas.js";
import { Slots } from "./slots.js";

const TENANT = "default";
const PERSONAS = ["writer", "editor", "critic"].map((name) => ({ tenant: TENANT, name, maxConcurrent: 2 }));

describe("personas that may have something to claim", () => {
  let slots: Slots;
  let personas: RunnablePersonas;
  let rings: number;
  beforeEach(() => {
    rings = 0;
    slots = new Slots(10, PERSONAS, () => {});
    personas = new RunnablePersonas(PERSONAS, () => {
      rings += 1;
    });
  });
  const ask = (now = 0) => personas.ask(slots, now).map(({ name }) => name);
  /** As after a tick that found nothing. */
  const nothingLeft = () => {
    personas.ask(slots, 0);
    personas.answered({ more: [], due: [] });
  };
  const change = (over: Partial<TaskChange> = {}): TaskChange => ({
    tenant: TENANT,
    taskId: "task",
    persona: "writer",
    state: "pending",
    seq: 1,
    runnable: true,
    runAt: 0,
    wakeAt: null,
    ...over,
  });

  it("at the start all of them, each with the slots that it may take", () => {
    slots.take(TENANT, "writer");
    expect(personas.any).toBe(true);
    expect(personas.ask(slots, 0)).toEqual([
      { tenant: TENANT, name: "writer", free: 1 },
      { tenant: TENANT, name: "editor", free: 2 },
      { tenant: TENANT, name: "critic", free: 2 },
    ]);
  });

  it("nobody is asked about again until there is news", () => {
    nothingLeft();
    expect(personas.any).toBe(false);
    expect(ask()).toEqual([]);
    personas.onChange(change({ persona: "editor" }));
    expect(personas.any).toBe(true);
    expect(ask()).toEqual(["editor"]);
  });

  it("a persona without a free slot is not asked about, and is not forgotten", () => {
    nothingLeft();
    const taken = [slots.take(TENANT, "writer"), slots.take(TENANT, "writer")];
    personas.onChange(change());
    expect(ask()).toEqual([]);
    expect(personas.any).toBe(true);
    taken[0]?.release();
    expect(ask()).toEqual(["writer"]);
  });

  it("are asked about in turn, so that none is always first", () => {
    const firsts = new Set<string>();
    for (let tick = 0; tick < 3; tick++) {
      firsts.add(ask()[0] as string);
      personas.answered({ more: PERSONAS, due: [] });
    }
    expect(firsts.size).toBe(3);
  });

  it("what the ledger says remains is asked about again", () => {
    ask();
    personas.answered({ more: [{ tenant: TENANT, name: "critic" }], due: [] });
    expect(ask()).toEqual(["critic"]);
  });

  it("a task in backoff is asked about when it is due", () => {
    ask();
    personas.answered({ more: [], due: [{ tenant: TENANT, name: "editor", at: 700 }] });
    expect(personas.any).toBe(false);
    expect(personas.nextDueAt).toBe(700);
    expect(ask(699)).toEqual([]);
    expect(ask(700)).toEqual(["editor"]);
    expect(personas.nextDueAt).toBe(Infinity);
  });

  it("news that comes while the ledger answers is not lost", () => {
    ask();
    personas.onChange(change());
    personas.answered({ more: [], due: [] });
    expect(ask()).toEqual(["writer"]);
  });

  it("rings once for the news of a commit, and not for a task that was claimed in it", async () => {
    nothingLeft();
    personas.onChange(change({ taskId: "one" }));
    personas.onChange(change({ taskId: "two" }));
    await Promise.resolve();
    expect(rings).toBe(1);
    nothingLeft();
    personas.onChange(change());
    personas.onChange(change({ state: "claimed", runnable: false }));
    await Promise.resolve();
    expect([rings, personas.any]).toEqual([1, false]);
  });

  it("is not concerned with personas that are hosted elsewhere, nor with one of the same name in another tenant", async () => {
    nothingLeft();
    personas.onChange(change({ persona: "stranger" }));
    personas.onChange(change({ tenant: "acme" }));
    await Promise.resolve();
    expect([rings, personas.any]).toEqual([0, false]);
  });

  it("are others after a change of the configuration, and all of them are asked about", () => {
    nothingLeft();
    personas.replace([...PERSONAS.slice(1), { tenant: TENANT, name: "printer", maxConcurrent: 1 }]);
    expect(rings).toBe(1);
    slots.replace(10, [...PERSONAS.slice(1), { tenant: TENANT, name: "printer", maxConcurrent: 1 }]);
    expect(ask()).toEqual(["critic", "printer", "editor"]);
    personas.onChange(change({ persona: "writer" }));
    personas.answered({ more: [{ tenant: TENANT, name: "writer" }], due: [] });
    expect(personas.any).toBe(false);
    expect(personas.nextDueAt).toBe(Infinity);
  });
});
