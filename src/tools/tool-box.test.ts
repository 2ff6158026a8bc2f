import { describe, expect, it } from "vitest";
import { z } from "zod";
import { TestHouse, testPersona } from "../../test/support/test-house.js";
import { PersonaRegistry } from "../personas/registry.js";
import { NuncioError } from "../shared/errors.js";
import { ToolCatalog } from "./catalog.js";
import { hostTool, result } from "./host-tool.js";
import { toolBoxFactory } from "./tool-box.js";

const ungranted = testPersona("lonely", { capabilities: { allow: ["some.thing"], requireApproval: [] } });
const single = testPersona("single", { capabilities: { allow: ["persona.send:writer"], requireApproval: [] } });
const house = () => new TestHouse([testPersona("boss"), testPersona("writer"), ungranted, single]);
const DELEGATION = ["persona_send", "persona_task_status", "persona_list"];
const names = (box: { descriptors: readonly { name: string }[] }) => box.descriptors.map(({ name }) => name);

describe("the tools of a run", () => {
  it("D6 are there with persona.send:* and with a grant for a single target", () => {
    expect(names(house().task("boss", "go").attempt().tools)).toEqual([...DELEGATION, "ask_caller"]);
    expect(names(house().task("single", "go").attempt().tools)).toEqual([...DELEGATION, "ask_caller"]);
  });

  it.each(DELEGATION)("D6 %s is neither listed nor callable without the capability", async (tool) => {
    const attempt = house().task("lonely", "go").attempt();
    expect(names(attempt.tools)).toEqual(["ask_caller"]);
    const args = { target_persona: "writer", message: "x", task_id: "t" };
    expect(await attempt.tools.call(tool, args, "c1")).toMatchObject({
      isError: true,
      value: {
        error: `refused: ${tool} needs the capability persona.send:*, which lonely does not have`,
        reason: "TOOL_REFUSED",
      },
    });
  });

  it("an agent that takes no follow-ups cannot ask", async () => {
    const attempt = new TestHouse([testPersona("mute", { followUps: false })]).task("mute", "go").attempt();
    expect(names(attempt.tools)).not.toContain("ask_caller");
    expect(await attempt.tools.call("ask_caller", { question: "?" }, "c1")).toMatchObject({ isError: true });
  });

  it("have a JSON Schema in which only what is required is required", () => {
    const [send] = house().task("boss", "go").attempt().tools.descriptors;
    expect(send?.inputSchema).toMatchObject({
      type: "object",
      required: ["target_persona", "message"],
      additionalProperties: false,
      properties: {
        await_reply: { type: "boolean", default: false },
        timeout_ms: { type: "integer", default: 300_000 },
      },
    });
    expect(send?.inputSchema).not.toHaveProperty("$schema");
  });

  it("an unknown tool is an error that lists those that exist", async () => {
    const outcome = await house().task("boss", "go").attempt().tools.call("rm_rf", {}, "c1");
    expect(outcome).toMatchObject({
      isError: true,
      value: { error: expect.stringContaining('no tool "rm_rf"; there are: persona_send') },
    });
  });

  it.each([
    ["persona_send", { message: "x" }, "target_persona: is required"],
    ["persona_send", { target_persona: "", message: "x" }, "target_persona: must not be empty"],
    ["persona_send", { target_persona: "  ", message: "x" }, "target_persona: must not be empty"],
    ["persona_send", { target_persona: 7, message: "x" }, "target_persona: must be a string"],
    ["persona_send", { target_persona: "writer", message: "" }, "message: must not be empty"],
    ["persona_send", { target_persona: "writer", message: null }, "message: must be a string"],
    [
      "persona_send",
      { target_persona: "writer", message: "x", await_reply: "yes" },
      "await_reply: must be true or false",
    ],
    ["persona_send", { target_persona: "writer", message: "x", timeout_ms: -1 }, "timeout_ms: must not be negative"],
    ["persona_send", { target_persona: "writer", message: "x", timeout_ms: 1.5 }, "timeout_ms: must be a whole number"],
    [
      "persona_send",
      { target_persona: "writer", message: "x", timeout_ms: 1e9 },
      "timeout_ms: must be at most 86400000",
    ],
    ["persona_send", { target_persona: "writer", message: "x", to: "y" }, "to: is not an argument of this tool"],
    ["persona_send", { message: 1 }, "target_persona: is required; message: must be a string"],
    ["persona_send", "writer", "arguments: must be an object"],
    ["persona_send", null, "arguments: must be an object"],
    ["persona_send", [], "arguments: must be an object"],
    ["persona_task_status", {}, "task_id: is required"],
    ["persona_task_status", { task_id: "t", wait_ms: 600_001 }, "wait_ms: must be at most 600000"],
    ["persona_list", { page: 2 }, "page: is not an argument of this tool"],
    ["ask_caller", {}, "question: is required"],
  ])("D1 %s(%j) names the field", async (tool, args, error) => {
    const test = house();
    const attempt = test.task("boss", "go").attempt();
    const outcome = await attempt.tools.call(tool, args, "c1");
    expect(outcome).toMatchObject({ isError: true, value: { error: expect.stringContaining(error) } });
    expect(outcome).toMatchObject({ value: { field: error.split(":")[0] } });
    expect(test.children).toEqual([]);
  });
});

describe("the life of a call", () => {
  it("a finished call answers with its recorded result, with the same fence", async () => {
    const test = house();
    const task = test.task("boss", "go");
    const send = { target_persona: "writer", message: "x", await_reply: true };
    const first = task.attempt();
    await first.tools.call("persona_send", send, "c1");
    test.child().complete("hello");
    const result = await first.tools.call("persona_send", send, "c1");
    first.commit();
    test.child().facts.length = 1;
    expect(await task.attempt().tools.call("persona_send", send, "c1")).toEqual(result);
    expect(result).toMatchObject({ type: "result", value: { status: "completed", reply: "hello" } });
  });

  it("what was a call of another tool when it was begun gives neither its result nor a call", async () => {
    const test = house();
    const task = test.task("boss", "go");
    const first = task.attempt();
    await first.tools.call("persona_list", {}, "c1");
    first.commit();
    const send = { target_persona: "writer", message: "x" };
    expect(await task.attempt().tools.call("persona_send", send, "c1")).toMatchObject({
      isError: true,
      value: { reason: "CALL_CHANGED" },
      text: expect.stringContaining("this was a call of persona_list"),
    });
    expect(test.children).toEqual([]);
  });

  it("trouble of ours is thrown, not told to the run", async () => {
    const test = house();
    test.refuseNext = new NuncioError("lease_lost", "somebody else has it");
    const attempt = test.task("boss", "go").attempt();
    await expect(attempt.tools.call("persona_send", { target_persona: "writer", message: "x" }, "c1")).rejects.toThrow(
      "somebody else has it",
    );
  });

  it("a call that is not idempotent has a durable start, and after a crash its outcome is unknown", async () => {
    const personas = [testPersona("boss")];
    const test = new TestHouse(personas);
    let ran = 0;
    const tool = hostTool({
      name: "post",
      description: "posts",
      args: z.strictObject({}),
      offeredTo: () => true,
      needs: "nothing",
      idempotent: false,
      run: async () => {
        ran += 1;
        expect(task.steps).toMatchObject([{ kind: "tool_call", key: "c1", data: { name: "post" } }]);
        return result("sent");
      },
    });
    const box = toolBoxFactory(new ToolCatalog([tool]), new PersonaRegistry(personas), test.desk);
    const task = test.task("boss", "go");
    expect(await box(task.attempt()).call("post", {}, "c1")).toMatchObject({ value: "sent", text: "sent" });
    // The attempt dies here: the result was never recorded.
    expect(await box(task.attempt()).call("post", {}, "c1")).toMatchObject({
      isError: true,
      value: { reason: "OUTCOME_UNKNOWN" },
    });
    expect(ran).toBe(1);
  });
});
