import { expect, it } from "vitest";
import { getTask, sendMessage, type WireTask } from "../support/daemon/a2a.js";
import { faultsOf } from "../support/daemon/history.js";
import { Puppet } from "../support/daemon/puppet.js";
import { startDaemon } from "../support/daemon/start-daemon.js";
import { allEvents, allTasks, resultOf, untilSaid, untilSettled } from "../support/daemon/watch.js";

/** `root` awaits `middle`, which awaits `leaf`, which asks until it is told `blue`. */
const config = {
  personas: [
    {
      name: "root",
      visibility: "public",
      runtime: "scripted",
      capabilities: { allow: ["persona.send:*"] },
      script: [{ steps: [send("middle"), { reply: "root({{results.answer}})" }] }],
    },
    {
      name: "middle",
      runtime: "scripted",
      capabilities: { allow: ["persona.send:*"] },
      script: [{ steps: [send("leaf"), { reply: "middle({{results.answer}})" }] }],
    },
    {
      name: "leaf",
      runtime: "scripted",
      script: [
        { when: { turn: 1, text: "secret" }, steps: [{ auth: "Show your badge." }] },
        { when: { turn: 1 }, steps: [{ ask: "Which color?" }] },
        { when: { text: "^(blue|the badge)$" }, steps: [{ reply: "{{input.text}}, turn {{turn}}" }] },
        { steps: [{ ask: "Not {{input.text}}. Which color?" }] },
      ],
    },
  ],
};

function send(to: string) {
  return { send: { to, message: "{{input.text}}", await: true, as: "answer" } };
}

const question = (task: WireTask) => [task.status.state, task.status.message?.parts[0]?.text];

it("D18 the question of a grandchild shows at the root and between, and an answer to the root reaches it, also after a restart", async () => {
  const daemon = await startDaemon(config);
  const { client } = daemon;
  const root = await sendMessage(daemon.url, "root", { text: "paint" });
  expect(question(root)).toEqual(["TASK_STATE_INPUT_REQUIRED", "Which color?"]);

  const tree = await client.tree(root.id);
  const [middle] = tree.children;
  const [leaf] = middle?.children ?? [];
  const shown = async () =>
    [await client.tree(root.id)]
      .flatMap((task) => [task, ...task.children, ...task.children.flatMap(({ children }) => children)])
      .map((task) => [task.persona, task.state, task.waitingFor, task.askingChildId]);
  const asking = [
    ["root", "waiting", "input", leaf?.id],
    ["middle", "waiting", "input", leaf?.id],
    ["leaf", "waiting", "input", null],
  ];
  expect(await shown()).toEqual(asking);
  expect((await client.status()).slots.used).toBe(0);

  await daemon.kill("SIGKILL");
  await daemon.restart();
  expect(await shown()).toEqual(asking);
  expect(question(await getTask(daemon.url, "root", root.id))).toEqual(["TASK_STATE_INPUT_REQUIRED", "Which color?"]);

  // Over A2A to the root: the leaf asks once more, and the root shows it again.
  const again = await sendMessage(daemon.url, "root", { taskId: root.id, text: "red" });
  expect(question(again)).toEqual(["TASK_STATE_INPUT_REQUIRED", "Not red. Which color?"]);

  // By the operator, to the one in the middle.
  const answered = await client.answer(middle?.id ?? "", "green");
  expect(answered.answeredId).toBe(leaf?.id);
  await untilSaid(client, leaf?.id ?? "", "Not green. Which color?");
  await untilSettled(client, leaf?.id ?? "");

  const done = await sendMessage(daemon.url, "root", { taskId: root.id, text: "blue" });
  expect([done.status.state, resultOf(done)]).toEqual(["TASK_STATE_COMPLETED", "root(middle(blue, turn 4))"]);
  for (const task of await allTasks(client)) {
    expect(task.attempt, task.persona).toBe(1);
    expect(faultsOf(task, await allEvents(client, task.id))).toEqual([]);
  }
});

it("D18 a grandchild that needs authorization moves its ancestors there, too, and the same answer twice is one answer", async () => {
  const daemon = await startDaemon(config);
  const { client } = daemon;
  const root = await sendMessage(daemon.url, "root", { text: "paint in secret" });
  expect(question(root)).toEqual(["TASK_STATE_AUTH_REQUIRED", "Show your badge."]);
  expect(await client.task(root.id)).toMatchObject({ state: "waiting", waitingFor: "auth" });

  const badge = { taskId: root.id, text: "the badge", messageId: "my-badge" };
  const [one, two] = await Promise.all([
    sendMessage(daemon.url, "root", badge),
    sendMessage(daemon.url, "root", badge),
  ]);
  for (const done of [one, two]) {
    expect([done?.status.state, done && resultOf(done)]).toEqual([
      "TASK_STATE_COMPLETED",
      "root(middle(the badge, turn 2))",
    ]);
  }
  await daemon.kill("SIGKILL");
  await daemon.restart();
  expect(resultOf(await sendMessage(daemon.url, "root", badge))).toBe("root(middle(the badge, turn 2))");
  await expect(sendMessage(daemon.url, "root", { taskId: root.id, text: "another" })).rejects.toMatchObject({
    code: -32004,
  });
});

it("D18 of two questions at the same time the root shows one after the other, also after a restart, and each answer goes where it was asked", async () => {
  const puppet = await Puppet.start();
  const daemon = await startDaemon({
    a2a: { maxConcurrentPerTarget: 2 },
    providers: { puppet: puppet.provider },
    personas: [
      {
        name: "root",
        visibility: "public",
        model: "puppet",
        provider: "puppet",
        capabilities: { allow: ["persona.send:*"] },
      },
      {
        name: "leaf",
        runtime: "scripted",
        maxConcurrent: 2,
        script: [
          { when: { turn: 1 }, steps: [{ ask: "Which color for {{input.text}}?" }] },
          { steps: [{ reply: "painted {{input.text}}" }] },
        ],
      },
    ],
  });
  const { client } = daemon;
  const asked = sendMessage(daemon.url, "root", { text: "paint both" });
  const send = (message: string) => ({
    name: "persona_send",
    args: { target_persona: "leaf", message, await_reply: true },
  });
  (await puppet.asked()).answer({ tools: [send("the door"), send("the wall")] });
  const root = await asked;
  expect(root.status.state).toBe("TASK_STATE_INPUT_REQUIRED");
  const children = (await client.task(root.id)).children;
  for (const { id } of children) await untilSettled(client, id);

  const colors: Record<string, string> = { door: "red", wall: "blue" };
  const answers: string[] = [];
  const next = async (task: WireTask): Promise<WireTask> => {
    const thing = /the (door|wall)\?$/.exec(question(task)[1] ?? "")?.[1] ?? "";
    answers.push(thing);
    return sendMessage(daemon.url, "root", { taskId: root.id, text: colors[thing] ?? "no color" });
  };
  const second = await next(root);
  expect(second.status.state).toBe("TASK_STATE_INPUT_REQUIRED");
  await daemon.kill("SIGKILL");
  await daemon.restart();
  // The one that was answered may have ended before the kill, or after it: the root goes on, and then asks again.
  await untilSettled(client, root.id);
  const last = next(await getTask(daemon.url, "root", root.id));
  const told = await puppet.asked();
  expect(told.results.map((result) => /painted (red|blue)/.exec(result)?.[1])).toEqual(["red", "blue"]);
  told.answer({ text: "both painted" });
  expect(resultOf(await last)).toBe("both painted");
  expect(answers.sort()).toEqual(["door", "wall"]);
  const done = await client.task(root.id);
  expect([done.attempt, done.children.length]).toEqual([1, 2]);
});
