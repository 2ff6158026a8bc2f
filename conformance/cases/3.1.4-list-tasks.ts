import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { http, type Options, section, v1, v03 } from "../table/case.js";
import type { Talk } from "../table/talk.js";
import type { Ask, Task } from "../words.js";

const lists: Options = { on: v1, uses: ["list"] };
const scripted: Options = { ...lists, needs: ["script"] };
/** Where the count must be exactly known, the caller is one whom nobody else is. */
const alone: Options = { ...lists, needs: ["script", "callers"] };

/** All pages, from the first on. */
async function walk(talk: Talk, ask: Ask): Promise<{ tasks: Task[]; sizes: number[] }> {
  const tasks: Task[] = [];
  const sizes: number[] = [];
  let pageToken: string | undefined;
  for (let pages = 0; pages < 50; pages++) {
    const page = await talk.list({ ...ask, ...(pageToken === undefined ? {} : { pageToken }) }).ok();
    tasks.push(...page.tasks);
    sizes.push(page.tasks.length);
    if (page.nextPageToken === "") return { tasks, sizes };
    pageToken = page.nextPageToken;
  }
  throw new Error("the walk has no end");
}

const idsOf = (tasks: readonly Task[]): string[] => tasks.map(({ id }) => id);
const some = (talk: Talk, count: number, ask: Ask = {}): Promise<Task[]> =>
  Promise.all(Array.from({ length: count }, () => talk.run("hello", ask)));

export const listTasks = section("3.1.4", "List Tasks", "E20", (it) => {
  it("lists the caller's tasks with page, size and total", alone, async (talk) => {
    const caller = await talk.asNewCaller();
    const made = await some(caller, 3);
    const page = await caller.list().ok();
    assert.deepEqual(idsOf(page.tasks).sort(), idsOf(made).sort());
    assert.equal(page.totalSize, 3);
    assert.equal(page.nextPageToken, "", "the last page says so with an empty token");
  });

  it("a caller without tasks gets an empty list", alone, async (talk) => {
    const page = await (await talk.asNewCaller()).list().ok();
    assert.deepEqual(page.tasks, []);
    assert.equal(page.totalSize, 0);
    assert.equal(page.nextPageToken, "");
  });

  it("shows nobody the tasks of others, nor how many they are", alone, async (talk) => {
    const { contextId } = await talk.run("hello");
    const page = await (await talk.asNewCaller(["runs:execute"])).list({ contextId }).ok();
    assert.deepEqual(page.tasks, []);
    assert.equal(page.totalSize, 0);
  });

  it("the default page has at most 50 tasks, and says its size", lists, async (talk) => {
    const page = await talk.list().ok();
    assert.ok(page.tasks.length <= 50);
    assert.equal(page.pageSize, 50);
  });

  it("sorts by the time of the status, newest first", alone, async (talk) => {
    const caller = await talk.asNewCaller();
    const contextId = randomUUID();
    const asking = await caller.run("ask", { contextId });
    for (let made = 0; made < 4; made++) await caller.run("hello", { contextId });
    await caller.run("the red one", { taskId: asking.id });
    const { tasks } = await caller.list({ contextId }).ok();
    assert.equal(tasks[0]?.id, asking.id, "whose status changed last stands first");
    const times = tasks.map(({ timestamp }) => timestamp as string);
    assert.deepEqual(times, [...times].sort().reverse());
  });

  it("filters by context", scripted, async (talk) => {
    const contextId = randomUUID();
    const made = await some(talk, 2, { contextId });
    const other = await talk.run("hello");
    const page = await talk.list({ contextId }).ok();
    assert.deepEqual(idsOf(page.tasks).sort(), idsOf(made).sort());
    assert.equal(page.totalSize, 2);
    assert.ok(!idsOf(page.tasks).includes(other.id));
  });

  it("an unknown context has no tasks", lists, async (talk) => {
    const page = await talk.list({ contextId: randomUUID() }).ok();
    assert.deepEqual(page.tasks, []);
    assert.equal(page.totalSize, 0);
  });

  it("filters by each state", scripted, async (talk) => {
    const contextOf = () => ({ contextId: randomUUID() });
    const hanging = contextOf();
    const running = await talk.start("hang", hanging);
    await talk.until(running.id, "working");
    const cases = [
      ["hello", "completed", contextOf()],
      ["fail", "failed", contextOf()],
      ["reject", "rejected", contextOf()],
      ["ask", "input-required", contextOf()],
      ["auth", "auth-required", contextOf()],
    ] as const;
    for (const [text, status, context] of cases) {
      const task = await talk.run(text, context);
      assert.deepEqual(idsOf((await talk.list({ ...context, status }).ok()).tasks), [task.id], status);
      const others = await talk.list({ ...context, status: "canceled" }).ok();
      assert.deepEqual(others.tasks, [], `${status} is not canceled`);
      assert.equal(others.totalSize, 0);
    }
    assert.deepEqual(idsOf((await talk.list({ ...hanging, status: "working" }).ok()).tasks), [running.id]);
    await talk.cancel({ id: running.id }).ok();
    assert.deepEqual(idsOf((await talk.list({ ...hanging, status: "canceled" }).ok()).tasks), [running.id]);
  });

  it("filters by the time of the status, that time included", scripted, async (talk) => {
    const contextId = randomUUID();
    await talk.run("hello", { contextId });
    const later = await talk.run("ask", { contextId });
    const statusTimestampAfter = later.timestamp as string;
    const { tasks } = await talk.list({ contextId, statusTimestampAfter }).ok();
    assert.ok(idsOf(tasks).includes(later.id), "greater than or equal");
    for (const { timestamp } of tasks) assert.ok((timestamp as string) >= statusTimestampAfter);
    const none = await talk.list({ contextId, statusTimestampAfter: "2999-01-01T00:00:00Z" }).ok();
    assert.deepEqual([none.tasks, none.totalSize], [[], 0]);
    const all = await talk.list({ contextId, statusTimestampAfter: "2000-01-01T00:00:00Z" }).ok();
    assert.equal(all.totalSize, 2);
  });

  it("walks page by page: each task once, and the total stays", scripted, async (talk) => {
    const contextId = randomUUID();
    const made = await some(talk, 7, { contextId });
    for (const pageSize of [1, 2, 3, 7, 100]) {
      const { tasks, sizes } = await walk(talk, { contextId, pageSize });
      assert.deepEqual(idsOf(tasks).sort(), idsOf(made).sort(), `pages of ${pageSize}`);
      assert.ok(Math.max(...sizes) <= pageSize);
    }
    const page = await talk.list({ contextId, pageSize: 2 }).ok();
    assert.equal(page.totalSize, 7, "before pagination");
    assert.equal(page.pageSize, 2, "the page size used");
    assert.notEqual(page.nextPageToken, "");
  });

  it("a task that does not change during the walk appears exactly once", scripted, async (talk) => {
    const contextId = randomUUID();
    const asking = await talk.run("ask", { contextId });
    const still = await some(talk, 5, { contextId });
    const first = await talk.list({ contextId, pageSize: 2 }).ok();
    await talk.run("the red one", { taskId: asking.id });
    await talk.run("hello", { contextId });
    const seen = idsOf(first.tasks);
    let pageToken = first.nextPageToken;
    while (pageToken !== "") {
      const page = await talk.list({ contextId, pageSize: 2, pageToken }).ok();
      seen.push(...idsOf(page.tasks));
      pageToken = page.nextPageToken;
    }
    for (const { id } of still) assert.equal(seen.filter((one) => one === id).length, 1);
  });

  it("artifacts are left out unless they are asked for", scripted, async (talk) => {
    const contextId = randomUUID();
    await talk.run("steps", { contextId });
    for (const ask of [{ contextId }, { contextId, includeArtifacts: false }]) {
      assert.equal((await talk.list(ask).ok()).tasks[0]?.artifacts, undefined, "the field MUST be omitted entirely");
    }
    const [task] = (await talk.list({ contextId, includeArtifacts: true }).ok()).tasks;
    assert.equal(task?.artifacts?.[0]?.parts.map(({ text }) => text).join(""), "one two three");
  });

  it("the history has the length that is asked for", scripted, async (talk) => {
    const contextId = randomUUID();
    const { id } = await talk.run("ask", { contextId });
    await talk.run("the red one", { taskId: id });
    const none = await talk.list({ contextId, historyLength: 0 }).ok();
    assert.equal(none.tasks[0]?.history, undefined);
    const one = await talk.list({ contextId, historyLength: 1 }).ok();
    assert.equal(one.tasks[0]?.history?.length, 1);
    const many = await talk.list({ contextId, historyLength: 100 }).ok();
    assert.ok((many.tasks[0]?.history?.length ?? 0) >= 2);
  });

  it("pages and filters go together", scripted, async (talk) => {
    const contextId = randomUUID();
    const done = await some(talk, 3, { contextId });
    await talk.run("ask", { contextId });
    const { tasks, sizes } = await walk(talk, { contextId, status: "completed", pageSize: 2 });
    assert.deepEqual(idsOf(tasks).sort(), idsOf(done).sort());
    assert.deepEqual(sizes.slice(0, 2), [2, 1]);
    assert.equal((await talk.list({ contextId, status: "completed", pageSize: 2 }).ok()).totalSize, 3);
  });

  it("a listed task is the task", scripted, async (talk) => {
    const contextId = randomUUID();
    const { id } = await talk.run("steps", { contextId });
    const [listed] = (await talk.list({ contextId, includeArtifacts: true, historyLength: 100 }).ok()).tasks;
    assert.deepEqual(listed, await talk.get({ id }).task());
  });

  it("an agent lists its own tasks", { on: v1, uses: ["list"], needs: ["plain agent"] }, async (talk) => {
    const contextId = randomUUID();
    const { id } = await talk.plain.run("hello", { contextId });
    assert.deepEqual((await talk.list({ contextId }).ok()).tasks, []);
    assert.deepEqual(idsOf((await talk.plain.list({ contextId }).ok()).tasks), [id]);
  });

  for (const pageSize of [0, -1, 101, 2_000_000_000]) {
    it(`a page size of ${pageSize} is refused`, lists, async (talk) => {
      await talk.list({ pageSize }).refused("INVALID_PARAMS", { field: "pageSize" });
    });
  }
  for (const pageSize of [1, 100]) {
    it(`a page size of ${pageSize} is taken`, lists, async (talk) => {
      assert.equal((await talk.list({ pageSize }).ok()).pageSize, pageSize);
    });
  }

  it("a negative history length is refused", lists, async (talk) => {
    await talk.list({ historyLength: -5 }).refused("INVALID_PARAMS", { field: "historyLength" });
  });

  it("a state that is none is refused", { on: (wire) => v1(wire) && http(wire), uses: ["list"] }, async (talk) => {
    for (const status of ["TASK_STATE_RUNNING", "working"]) {
      await talk.list({ replace: { status } }).refused("INVALID_PARAMS", { field: "status" });
    }
  });

  it("a time that is none is refused", { on: (wire) => v1(wire) && http(wire), uses: ["list"] }, async (talk) => {
    await talk.list({ statusTimestampAfter: "yesterday" }).refused("INVALID_PARAMS", { field: "statusTimestampAfter" });
  });

  it("a page token that the server did not make is refused", lists, async (talk) => {
    for (const pageToken of ["garbage", "AAAA", "!!!", "a".repeat(5000)]) {
      await talk.list({ pageToken }).refused("INVALID_PARAMS", { field: "pageToken" });
    }
  });

  it("a page token of somebody else shows nothing of theirs", {
    ...lists,
    needs: ["script", "callers"],
  }, async (talk) => {
    const contextId = randomUUID();
    const made = await some(talk, 3, { contextId });
    const { nextPageToken } = await talk.list({ contextId, pageSize: 1 }).ok();
    const stranger = await talk.asNewCaller(["runs:execute"]);
    const reply = await stranger.list({ contextId, pageSize: 1, pageToken: nextPageToken }).reply();
    if (reply.type === "result") {
      for (const { id } of reply.value.tasks) assert.ok(!idsOf(made).includes(id));
    }
  });

  it("0.3 lists the caller's tasks at GET /v1/tasks", { on: v03, uses: ["list"], needs: ["callers"] }, async (talk) => {
    const caller = await talk.asNewCaller();
    const made = await some(caller, 2);
    assert.deepEqual(idsOf((await caller.list().ok()).tasks).sort(), idsOf(made).sort());
  });
});
