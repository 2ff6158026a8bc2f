import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { type Slot, Slots } from "./slots.js";

const TENANT = "default";
const PERSONAS = [
  { tenant: TENANT, name: "writer", maxConcurrent: 2 },
  { tenant: TENANT, name: "editor", maxConcurrent: 1 },
  { tenant: "acme", name: "writer", maxConcurrent: 3 },
];

describe("slots", () => {
  let slots: Slots;
  let released: number;
  beforeEach(() => {
    released = 0;
    slots = new Slots(3, PERSONAS, () => {
      released += 1;
    });
  });
  const take = (name: string, freedBy?: string, tenant = TENANT) => slots.take(tenant, name, freedBy);

  it("are bounded for each persona", () => {
    expect([take("writer"), take("writer"), take("writer")].map(Boolean)).toEqual([true, true, false]);
    expect(slots.freeOf(TENANT, "writer")).toBe(0);
    expect(take("editor")).toBeDefined();
  });

  it("are bounded for the process", () => {
    for (const name of ["writer", "writer", "editor"]) take(name);
    expect(slots.free).toBe(0);
    expect(take("writer", undefined, "acme")).toBeUndefined();
    expect(slots.freeOf("acme", "writer")).toBe(0);
  });

  it("count personas of one name in two tenants apart", () => {
    take("writer");
    take("writer");
    expect(take("writer", undefined, "acme")).toBeDefined();
    expect([slots.takenOf(TENANT, "writer"), slots.takenOf("acme", "writer")]).toEqual([2, 1]);
  });

  it("there are none for a persona that is not hosted here", () => {
    expect(take("stranger")).toBeUndefined();
    expect(slots.freeOf(TENANT, "stranger")).toBe(0);
    expect(slots.takenOf(TENANT, "stranger")).toBe(0);
  });

  it("D17 the slot of an attempt that parks in the same transaction counts as free: one slot is enough for a chain", () => {
    slots = new Slots(1, PERSONAS, () => {});
    const parent = take("writer") as Slot;
    expect(take("editor")).toBeUndefined();
    const child = take("editor", "writer");
    expect(child).toBeDefined();
    parent.release();
    expect(slots.taken).toBe(1);
    const grandchild = take("writer", "editor");
    expect(grandchild).toBeDefined();
  });

  it("D17 only one such slot at a time, and only of the persona that frees it", () => {
    slots = new Slots(1, PERSONAS, () => {});
    take("editor");
    expect(take("editor", "writer")).toBeUndefined();
    expect(take("editor", "editor")).toBeDefined();
    expect(take("editor", "editor")).toBeUndefined();
  });

  it("are released once, however often that is asked for, and say so", () => {
    const slot = take("editor") as Slot;
    slot.release();
    slot.release();
    expect([slots.taken, slots.takenOf(TENANT, "editor"), released]).toEqual([0, 0, 1]);
  });

  it("D12 none leaks and none is given twice, in whatever order they are taken and released", () => {
    const step = fc.record({ persona: fc.nat(2), release: fc.boolean(), pick: fc.nat() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
        const all = new Slots(4, PERSONAS, () => {});
        const held: { slot: Slot; persona: number }[] = [];
        for (const { persona, release, pick } of steps) {
          if (release) held.splice(pick % Math.max(1, held.length), 1)[0]?.slot.release();
          else {
            const { tenant, name } = PERSONAS[persona] as (typeof PERSONAS)[number];
            const promised = all.freeOf(tenant, name) > 0;
            const slot = all.take(tenant, name);
            expect(slot !== undefined).toBe(promised);
            if (slot !== undefined) held.push({ slot, persona });
          }
          expect(all.taken).toBe(held.length);
          PERSONAS.forEach(({ tenant, name, maxConcurrent }, index) => {
            const count = held.filter((one) => one.persona === index).length;
            expect(all.takenOf(tenant, name)).toBe(count);
            expect(count).toBeLessThanOrEqual(maxConcurrent);
          });
        }
        for (const { slot } of held) slot.release();
        expect(all.taken).toBe(0);
      }),
    );
  });

  it("become more and fewer, and what is taken stays taken", () => {
    const held = [take("writer"), take("writer"), take("editor")] as Slot[];
    slots.replace(2, [{ tenant: TENANT, name: "writer", maxConcurrent: 1 }]);
    expect([slots.taken, slots.free, slots.takenOf(TENANT, "editor")]).toEqual([3, 0, 1]);
    expect([slots.hosts(TENANT, "writer"), slots.hosts(TENANT, "editor")]).toEqual([true, false]);
    held[2]?.release();
    held[0]?.release();
    expect(take("writer")).toBeUndefined();
    expect(take("editor")).toBeUndefined();
    held[1]?.release();
    expect(take("writer")).toBeDefined();
    expect(slots.taken).toBe(1);
  });

  it("count what still runs of a persona that has gone and come back", () => {
    const held = take("editor") as Slot;
    slots.replace(3, []);
    slots.replace(3, PERSONAS);
    expect(take("editor")).toBeUndefined();
    held.release();
    expect(take("editor")).toBeDefined();
  });
});
