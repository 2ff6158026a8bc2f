import { expect, it } from "vitest";
import { type CountedTask, countInvocations } from "./count-invocations.js";
import type { PlanStore } from "./plan-store.js";

function house(planned: readonly string[]) {
  const asked: string[] = [];
  const taken: string[] = [];
  const store = {
    async assignmentOfChild(_tenant: string, childId: string) {
      asked.push(childId);
      return planned.includes(childId) ? {} : null;
    },
    async takeInvocation({ childId }: { childId: string }) {
      taken.push(childId);
      return true;
    },
  } as unknown as Pick<PlanStore, "takeInvocation" | "assignmentOfChild">;
  return { count: countInvocations(store, { now: () => 1 }), asked, taken };
}

const task = (over: Partial<CountedTask>): CountedTask => ({
  ...{ tenant: "default", id: "t", rootId: "t", parentId: null, trigger: "a2a" },
  ...over,
});

it("P9 the run of an assignment is counted, without a question", async () => {
  const { count, asked, taken } = house(["root"]);
  await count(task({ id: "root", rootId: "root", trigger: "plan" }));
  expect([asked, taken]).toEqual([[], ["root"]]);
});

it("P9 what is delegated from it is counted for it, at any depth; which it is is asked once", async () => {
  const { count, asked, taken } = house(["root"]);
  for (const id of ["a", "b", "c"]) await count(task({ id, rootId: "root", parentId: "x", trigger: "delegation" }));
  expect([asked, taken]).toEqual([["root"], ["root", "root", "root"]]);
});

it("P9 a task that somebody sent costs no query, and what it delegates one in all", async () => {
  const { count, asked, taken } = house([]);
  for (const trigger of ["a2a", "cli", "api", "retry"] as const) await count(task({ trigger }));
  expect(asked).toEqual([]);
  for (const id of ["a", "b"]) await count(task({ id, rootId: "other", parentId: "x", trigger: "delegation" }));
  expect([asked, taken]).toEqual([["other"], []]);
});
