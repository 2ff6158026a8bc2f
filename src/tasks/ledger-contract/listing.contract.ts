import { describe, expect } from "vitest";
import { newId } from "../../shared/ids.js";
import type { ListedQuery, ListPosition, Standing, Submit } from "../ledger.js";
import { textOf } from "../message.js";
import type { TaskFact } from "../task-event.js";
import { type Attempt, piece } from "./attempt.contract.js";
import { agentSays, userSays } from "./messages.contract.js";
import { type LedgerTest, TENANT, type World } from "./world.contract.js";

const MINUTE = 60_000;
const ANN = "user:ann";

export const listing = (it: LedgerTest) =>
  describe("lists of an agent's tasks", () => {
    it("E20 the latest status comes first, and of equal times the greatest id", async ({ world }) => {
      const [first, second, third] = [await submitted(world), await submitted(world), await submitted(world)];
      expect(await ids(world)).toEqual([third, second, first]);
      world.later(1);
      const [attempt] = await world.claim({ limit: 1 });
      expect(await ids(world), "being claimed is no status").toEqual([third, second, first]);
      await attempt?.append([working("on it")]);
      expect(await ids(world)).toEqual([first, third, second]);
      world.later(1);
      await world.cancel(second);
      world.later(1);
      await attempt?.append([piece("a")]);
      expect(await ids(world), "progress is no status").toEqual([second, first, third]);
      await attempt?.ask("which?");
      expect(await ids(world)).toEqual([first, second, third]);
    });

    it("E20 a task that does not change is met exactly once on a walk, whatever happens to the others", async ({
      world,
    }) => {
      const made = [];
      for (let count = 0; count < 9; count++) {
        // Three and three of the same time.
        if (count % 3 === 0) world.later(1);
        made.push(await submitted(world));
      }
      const seen: string[] = [];
      const moved = new Set<string>();
      let after: ListPosition | null = null;
      do {
        const page = await world.tenant.listed({ ...query(world), limit: 2, ...(after === null ? {} : { after }) });
        seen.push(...page.tasks.map(({ id }) => id));
        after = page.next;
        world.later(1);
        await submitted(world);
        const victim = made.find((id) => !seen.includes(id) && !moved.has(id));
        if (victim !== undefined) {
          moved.add(victim);
          await world.cancel(victim);
        }
      } while (after !== null);
      expect(new Set(seen).size).toBe(seen.length);
      for (const id of made) expect(seen.includes(id), "what stayed as it was").toBe(!moved.has(id));
    });

    it("E20 of a caller, or of all; of one agent and tenant; the total is of the same", async ({ world }) => {
      const mine = await submitted(world);
      const bobs = await submitted(world, { principal: "user:bob" });
      const edited = await submitted(world, { persona: "editor" });
      await world.submit({}, "acme");
      expect(await page(world, { principal: ANN })).toMatchObject({ ids: [mine], total: 1 });
      expect(await page(world, {})).toMatchObject({ ids: [bobs, mine], total: 2 });
      expect(await page(world, { persona: "editor", principal: ANN })).toMatchObject({ ids: [edited], total: 1 });
      expect(await page(world, { principal: "user:nobody" })).toEqual({ ids: [], total: 0, next: null });
    });

    it("E20 filters by context, standing and time of the status, and counts what they leave", async ({ world }) => {
      const contextId = newId();
      const done = await world.running({ persona: "editor" });
      await done.complete();
      const completedAt = world.now;
      const asking = await world.running({ contextId, persona: "editor" });
      world.later(1);
      await asking.ask("which?");
      const since = world.now;
      const started = await world.running({ contextId, persona: "editor", principal: "user:bob" });
      await started.handBack();
      const fresh = await submitted(world, { persona: "editor" });
      const list = (over: Partial<ListedQuery>) => page(world, { persona: "editor", ...over });
      expect(await list({ contextId })).toMatchObject({ ids: [started.id, asking.id], total: 2 });
      expect(await list({ contextId, principal: ANN })).toMatchObject({ ids: [asking.id], total: 1 });
      const standing = (state: Standing["state"], begun: boolean, waitingFor: Standing["waitingFor"] = null) => ({
        standings: [{ state, waitingFor, started: begun }],
      });
      expect(await list(standing("pending", false))).toMatchObject({ ids: [fresh], total: 1 });
      expect(await list(standing("pending", true))).toMatchObject({ ids: [started.id], total: 1 });
      expect(await list(standing("waiting", true, "input"))).toMatchObject({ ids: [asking.id], total: 1 });
      expect(await list(standing("waiting", true, "auth"))).toMatchObject({ ids: [], total: 0 });
      expect(await list(standing("completed", true))).toMatchObject({ ids: [done.id], total: 1 });
      expect(await list({ ...standing("completed", true), principal: ANN })).toMatchObject({
        ids: [done.id],
        total: 1,
      });
      expect(await list({ ...standing("completed", true), principal: "user:bob" })).toMatchObject({
        ids: [],
        total: 0,
      });
      expect(await list({ ...standing("completed", true), statusSince: completedAt })).toMatchObject({ total: 1 });
      expect(await list({ ...standing("completed", true), statusSince: completedAt + 1 })).toMatchObject({ total: 0 });
      const either = { standings: [...standing("completed", true).standings, ...standing("pending", false).standings] };
      expect(await list(either)).toMatchObject({ ids: [fresh, done.id], total: 2 });
      expect(await list({ standings: [] })).toMatchObject({ ids: [], total: 0 });
      expect(await list({ statusSince: since })).toMatchObject({ total: 3 });
      expect(await list({ statusSince: since + 1 })).toMatchObject({ ids: [], total: 0 });
      expect(await list({ ...standing("pending", true), contextId, statusSince: since })).toMatchObject({ total: 1 });
    });

    it("E20 brings as much history as is asked for, and artifacts only then", async ({ world }) => {
      const attempt = await world.running({ message: userSays("one") });
      await attempt.append([working("two"), working("three"), piece("a", false)]);
      const [running] = (await world.tenant.listed({ ...query(world), historyLength: 1, artifacts: true })).tasks;
      expect(running?.history.map(textOf)).toEqual(["two"]);
      expect(running?.artifacts.map(textOf)).toEqual(["a"]);
      await attempt.settle({ type: "completed", message: agentSays("four") }, { facts: [piece("b")] });

      const listed = async (over: Partial<ListedQuery>) =>
        (await world.tenant.listed({ ...query(world), ...over })).tasks[0];
      const whole = await listed({ historyLength: 100, artifacts: true });
      expect(whole).toEqual(await world.snapshot(attempt.id));
      const { history, artifacts, statusMessage } = (await listed({ historyLength: 2 })) ?? {};
      expect(history?.map(textOf)).toEqual(["two", "three"]);
      expect(artifacts).toEqual([]);
      expect(statusMessage?.parts).toEqual([{ text: "four" }]);
      expect((await listed({ historyLength: 0 }))?.history).toEqual([]);
    });

    it("E20 a page ends early where it becomes too large, with one task at least, and the walk goes on", async ({
      world,
    }) => {
      for (let count = 0; count < 3; count++) await submitted(world, { message: userSays("x".repeat(1000)) });
      const small = { ...query(world), historyLength: 1, mostCharacters: 1500 };
      const first = await world.tenant.listed(small);
      expect(first).toMatchObject({ tasks: [{}, {}], total: 3 });
      const last = await world.tenant.listed({ ...small, after: first.next as ListPosition, mostCharacters: 1 });
      expect(last).toMatchObject({ tasks: [{}], next: null, total: 3 });
    });

    it("E20 the total stays true over time, purges and other nodes", async ({ world }) => {
      const totals = async () => ({
        ann: (await page(world, { principal: ANN })).total,
        all: (await page(world, {})).total,
        there: (await page(world, { principal: ANN }, world.elsewhere.forTenant(TENANT))).total,
      });
      const old = [await ended(world), await ended(world)];
      await world.running({ principal: "user:bob" });
      expect(await totals()).toEqual({ ann: 2, all: 3, there: 2 });
      world.later(2 * MINUTE);
      expect(await totals()).toEqual({ ann: 2, all: 3, there: 2 });
      const young = await ended(world);
      expect(await totals()).toEqual({ ann: 3, all: 4, there: 3 });
      await purge(world, old[0] as string);
      expect(await totals()).toEqual({ ann: 2, all: 3, there: 2 });
      await purge(world, young);
      expect(await totals()).toEqual({ ann: 1, all: 2, there: 1 });
      // Nobody has asked since: neither that it came nor that it went has been noticed.
      world.later(2 * MINUTE);
      await purge(world, await ended(world));
      expect(await totals()).toEqual({ ann: 1, all: 2, there: 1 });
      world.later(2 * MINUTE);
      await submitted(world);
      expect(await totals()).toEqual({ ann: 2, all: 3, there: 2 });
    });

    it("E20 a purged tree leaves the lists of all of its agents", async ({ world }) => {
      const root = await world.running();
      await root.delegate("editor");
      const child = await world.run("editor");
      await child.complete();
      await root.complete();
      expect(await page(world, { persona: "editor", principal: "persona:writer" })).toMatchObject({ total: 1 });
      world.later(2 * MINUTE);
      expect(await page(world, { persona: "editor" })).toMatchObject({ ids: [child.id], total: 1 });
      await purge(world, root.id);
      expect(await page(world, { persona: "editor" })).toEqual({ ids: [], total: 0, next: null });
      expect(await page(world, { persona: "editor", principal: "persona:writer" })).toMatchObject({ total: 0 });
    });

    describe("of tasks whose caller is answered by a Message", () => {
      const bare = { answeredByMessage: true };

      it("E20 hold none that completes with one, not while it runs and not afterwards", async ({ world }) => {
        const attempt = await world.running(bare);
        await attempt.append([working("still")]);
        expect(await page(world, {})).toMatchObject({ ids: [], total: 0 });
        await attempt.settle({ type: "completed", message: agentSays("here") });
        await world.submit({
          ...bare,
          offer: world.offer(),
          foreseen: { facts: [], artifacts: [], outcome: { type: "completed", message: agentSays("here") } },
        });
        expect(await page(world, {})).toMatchObject({ ids: [], total: 0 });
        world.later(2 * MINUTE);
        await purge(world, attempt.id);
        expect(await page(world, {})).toMatchObject({ ids: [], total: 0 });
      });

      it.for<[string, (attempt: Attempt, world: World) => Promise<unknown>]>([
        ["asks", (attempt) => attempt.ask("which?")],
        ["fails", (attempt) => attempt.fail("no", { retryable: false })],
        ["is rejected", (attempt) => attempt.settle({ type: "rejected", message: agentSays("no") })],
        ["completes without", (attempt) => attempt.complete()],
        ["is canceled", (attempt, world) => world.cancel(attempt.id)],
        ["is shown after all", ({ id }, world) => world.tenant.enlist({ taskId: id, now: world.now })],
      ])("E20 hold one that %s, however late", async ([, become], { world }) => {
        const known: string[] = [];
        for (const late of [0, 2 * MINUTE, 0]) {
          const attempt = await world.running(bare);
          expect(await page(world, { principal: ANN })).toMatchObject({ ids: known, total: known.length });
          world.later(late);
          await page(world, {});
          await become(attempt, world);
          known.unshift(attempt.id);
          expect(await page(world, { principal: ANN })).toMatchObject({ ids: known, total: known.length });
          expect(await page(world, {})).toMatchObject({ ids: known, total: known.length });
          world.later(late);
          expect(await page(world, {})).toMatchObject({ total: known.length });
        }
      });

      it("E20 hold one of which it was foreseen that it fails", async ({ world }) => {
        const outcome = { type: "failed", message: agentSays("no") } as const;
        const foreseen = { facts: [], artifacts: [], outcome };
        const { task } = await world.submit({ ...bare, offer: world.offer(), foreseen });
        expect(await page(world, { principal: ANN })).toMatchObject({ ids: [task.id], total: 1 });
      });
    });
  });

const query = (world: World): ListedQuery => ({
  persona: "writer",
  limit: 50,
  historyLength: 0,
  artifacts: false,
  mostCharacters: 1_000_000,
  now: world.now,
});

async function page(world: World, over: Partial<ListedQuery>, tenant = world.tenant) {
  const { tasks, next, total } = await tenant.listed({ ...query(world), ...over });
  return { ids: tasks.map(({ id }) => id), next, total };
}

const ids = async (world: World): Promise<string[]> => (await page(world, { principal: ANN })).ids;

const submitted = async (world: World, over: Partial<Submit> = {}): Promise<string> =>
  (await world.submit(over)).task.id;

async function ended(world: World): Promise<string> {
  const attempt = await world.running();
  await attempt.complete();
  return attempt.id;
}

const working = (text: string): TaskFact => ({ type: "status", state: "processing", message: agentSays(text) });

const purge = (world: World, rootId: string) =>
  world.ledger.system.retention.purgeTree({ tenant: TENANT, rootId, endedBy: world.now, now: world.now });
