import { describe, expect, it } from "vitest";
import { TestHouse, testPersona } from "../../test/support/test-house.js";

const PERSONAS = [testPersona("boss"), testPersona("writer")];
const send = { target_persona: "writer", message: "x" };

async function delegated() {
  const test = new TestHouse(PERSONAS);
  const attempt = test.task("boss", "go").attempt();
  await attempt.tools.call("persona_send", send, "send");
  return { test, child: test.child() };
}

describe("persona_task_status", () => {
  it("D5 shows a task that this persona delegated in this context, in any run", async () => {
    const { test, child } = await delegated();
    const later = test.task("boss", "again").attempt();
    const ask = (callId: string) => later.tools.call("persona_task_status", { task_id: child.row.id }, callId);
    expect(await ask("c1")).toMatchObject({ value: { task_id: child.row.id, status: "pending" } });
    child.move("processing");
    expect(await ask("c2")).toMatchObject({ value: { status: "processing" } });
    child.ask("input", "which year?");
    expect(await ask("c3")).toMatchObject({
      value: { status: "processing", waiting_for: "input", asks: "which year?" },
      text: expect.stringContaining('asks, said by persona "writer"'),
    });
    child.complete("done");
    expect(await ask("c4")).toMatchObject({ value: { status: "completed", reply: "done" } });
    expect(await ask("c1")).toMatchObject({ value: { status: "pending" } });
  });

  it.each([
    ["of another context", { contextId: "context-2" }],
    ["of another persona's making", { principal: "persona:writer" }],
    ["of another tenant", { tenant: "other" }],
    ["from outside", { parentId: null, principal: "user:alice" }],
  ])("D5 a task %s is not found, as if it did not exist", async (_kind, row) => {
    const { test, child } = await delegated();
    Object.assign(child.row, row);
    const attempt = test.task("boss", "again").attempt();
    const hidden = await attempt.tools.call("persona_task_status", { task_id: child.row.id }, "c1");
    const absent = await attempt.tools.call("persona_task_status", { task_id: "nothing" }, "c2");
    expect(hidden).toMatchObject({ isError: true, value: { error: expect.stringContaining("was not found") } });
    expect(JSON.stringify(hidden).replaceAll(child.row.id, "nothing")).toBe(JSON.stringify(absent));
  });

  it("D5 with wait_ms it waits until the task has ended, or the time since its first call is up", async () => {
    const { test, child } = await delegated();
    const asking = test.task("boss", "again");
    const args = { task_id: child.row.id, wait_ms: 1_000 };
    const first = asking.attempt();
    expect(await first.tools.call("persona_task_status", args, "c1")).toEqual({
      type: "wait",
      taskIds: [child.row.id],
      until: test.now + 1_000,
    });
    first.commit();
    test.now += 400;
    expect(await asking.attempt().tools.call("persona_task_status", args, "c1")).toMatchObject({
      type: "wait",
      until: test.now + 600,
    });
    test.now += 600;
    expect(await asking.attempt().tools.call("persona_task_status", args, "c1")).toMatchObject({
      value: { status: "pending" },
    });
    child.complete("done");
    expect(await asking.attempt().tools.call("persona_task_status", args, "c2")).toMatchObject({
      value: { status: "completed", reply: "done" },
    });
  });
});
