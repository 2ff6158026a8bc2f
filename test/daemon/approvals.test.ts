import { expect, it } from "vitest";
import { cancelTask, getTask, sendMessage } from "../support/daemon/a2a.js";
import { faultsOf } from "../support/daemon/history.js";
import { startDaemon } from "../support/daemon/start-daemon.js";
import { allEvents, allTasks, resultOf, saidIn, untilLine, untilSaid, untilSettled } from "../support/daemon/watch.js";
import { runCli } from "../support/run-cli.js";

const scripted = (name: string, steps: object[], more: object = {}) => ({
  ...{ name, runtime: "scripted", visibility: "public", script: [{ steps }] },
  capabilities: { allow: ["persona.send:*"] },
  ...more,
});

const send = (to: string) => ({ send: { to, message: "{{input.text}}", await: true, as: "answer" } });
const reply = { reply: "{{results.answer}}" };

/** `root` awaits `careful`, which may send to `echo` when the operator says so. */
const config = {
  approvals: { expireAfterMs: 3_600_000 },
  personas: [
    scripted("root", [send("careful"), reply]),
    scripted("careful", [send("echo"), reply], {
      capabilities: { allow: ["persona.send:echo"], requireApproval: ["persona.send:*"] },
    }),
    scripted("buyer", [{ approve: "buy {{input.text}}?" }, { reply: "bought" }]),
    { name: "echo", runtime: "scripted" },
  ],
};

it("D18 E12 what waits for an approval survives kill -9 before and after the decision, and is seen, decided and not canceled by its caller", async () => {
  const daemon = await startDaemon(config);
  const { client } = daemon;
  const cli = (...args: string[]) => runCli(["approval", ...args, "--config", daemon.configFile]);
  const task = (agent: string, id: string) => getTask(daemon.url, agent, id);

  const root = await sendMessage(daemon.url, "root", { text: "the secret plan", returnImmediately: true });
  const buyer = await sendMessage(daemon.url, "buyer", { text: "\u001b[2Ja yacht", returnImmediately: true });
  await untilLine(client, root.id, (line) => saidIn(line)?.includes("asks to call persona_send") === true);
  await untilSaid(client, buyer.id, "Waiting for the operator's approval.");

  await daemon.kill("SIGKILL");
  await daemon.restart();
  const { approvals } = await client.approvals();
  const [sending, buying] = ["careful", "buyer"].map((name) => approvals.find(({ persona }) => persona === name));
  if (sending === undefined || buying === undefined || approvals.length !== 2) throw new Error("two are asked for");
  expect(sending).toMatchObject({
    ...{ rootId: root.id, tool: "persona_send", arguments: { target_persona: "echo", message: "the secret plan" } },
  });
  expect((await client.status()).slots.used).toBe(0);
  const shown = await task("root", root.id);
  expect(shown.status).toMatchObject({
    state: "TASK_STATE_WORKING",
    message: {
      parts: [{ text: expect.stringContaining(`careful (task ${sending.taskId}) asks to call persona_send`) }],
    },
  });
  expect(JSON.stringify(shown.status)).not.toContain("secret");

  expect((await task("buyer", buyer.id)).status.state).toBe("TASK_STATE_WORKING");
  await expect(cancelTask(daemon.url, "buyer", buyer.id)).rejects.toMatchObject({
    ...{ code: -32002, message: expect.stringContaining("deny the approval") },
  });

  const list = await cli("list");
  expect(list).toMatchObject({ code: 0 });
  expect(list.stdout).toContain(sending.id);
  expect(list.stdout).toContain(buying.id);
  expect((await cli("list", "--task", buying.taskId, "--json")).json()).toMatchObject({
    approvals: [
      {
        ...{ id: buying.id, taskId: buying.taskId, tool: "approve", digest: buying.digest },
        ...{ arguments: { text: "buy \u001b[2Ja yacht?" }, expiresAt: buying.expiresAt },
      },
    ],
    nextCursor: null,
  });
  const one = await cli("show", buying.id);
  expect(one.stdout).toContain('"text": "buy \\u001b[2Ja yacht?"');
  expect(list.stdout + one.stdout).not.toContain("\u001b");

  const denied = await cli("deny", buying.id, "--reason", "too dear", "--json");
  expect(denied.json()).toMatchObject({ id: buying.id, decision: "denied", reason: "too dear" });
  await untilSettled(client, buyer.id);
  expect((await task("buyer", buyer.id)).status).toMatchObject({
    state: "TASK_STATE_FAILED",
    message: { parts: [{ text: expect.stringContaining("too dear") }] },
  });
  expect((await cli("approve", buying.id)).stderr).toContain("is denied already");

  expect((await cli("approve", sending.id, "--digest", "0".repeat(64))).code).not.toBe(0);
  await client.approve(sending.id, { digest: sending.digest });
  await daemon.kill("SIGKILL");
  await daemon.restart();
  await untilSettled(client, root.id);
  expect(resultOf(await task("root", root.id))).toBe("the secret plan");
  const { children } = await client.task(sending.taskId);
  expect(children).toHaveLength(1);
  expect((await client.approvals()).approvals).toEqual([]);
  for (const each of await allTasks(client)) expect(faultsOf(each, await allEvents(client, each.id))).toEqual([]);
});
