import { expect, it } from "vitest";
import { getTask, sendMessage, type WireTask } from "../support/daemon/a2a.js";
import { faultsOf } from "../support/daemon/history.js";
import { allEvents, allTasks, resultOf } from "../support/daemon/watch.js";
import { boss, type NodeName, occupyA, startPair, workerBy } from "../support/nodes/pair.js";

const question = (task: WireTask) => [task.status.state, task.status.message?.parts[0]?.text];

it("D18 X4 a question asked on one node is answered on the other, also after a restart of both", async () => {
  const { a, b } = await startPair((node) => ({
    personas: [boss(node), workerBy(node, asking(node))],
  }));
  const free = await occupyA(a);
  const root = await sendMessage(a.url, "boss", { text: "paint" });
  expect(question(root)).toEqual(["TASK_STATE_INPUT_REQUIRED", "Which color? asks b"]);
  await free();
  expect(question(await getTask(b.url, "boss", root.id))).toEqual(question(root));

  const restartBoth = async () => {
    await Promise.all([a.kill("SIGKILL"), b.kill("SIGKILL")]);
    await Promise.all([a.restart(), b.restart()]);
  };
  await restartBoth();
  const again = await sendMessage(b.url, "boss", { taskId: root.id, text: "red" });
  expect(question(again)).toEqual(["TASK_STATE_INPUT_REQUIRED", "Not red. Which color?"]);
  await restartBoth();
  const done = await sendMessage(a.url, "boss", { taskId: root.id, text: "blue" });
  expect(done.status.state).toBe("TASK_STATE_COMPLETED");
  expect(resultOf(done)).toMatch(/^[ab] heard: blue, turn 3$/);
  for (const task of await allTasks(b.client)) {
    if (task.persona === "worker" && task.parentId === null) continue;
    expect(task.attempt).toBe(1);
    expect(faultsOf(task, await allEvents(b.client, task.id))).toEqual([]);
  }
});

it("D18 E11 X4 the same answer given on both nodes at once is one answer", async () => {
  const { a, b } = await startPair((node) => ({
    personas: [boss(node), workerBy(node, asking(node))],
  }));
  const root = await sendMessage(a.url, "boss", { text: "paint" });
  const answer = { taskId: root.id, text: "blue", messageId: "my-answer" };
  const answers = await Promise.all([a, b, b, a].map(({ url }) => sendMessage(url, "boss", answer)));
  for (const done of answers) expect(resultOf(done)).toMatch(/^[ab] heard: blue, turn 2$/);
});

function asking(node: NodeName) {
  return [
    { when: { turn: 1 }, steps: [{ ask: `Which color? asks ${node}` }] },
    { when: { text: "^blue$" }, steps: [{ reply: "blue, turn {{turn}}" }] },
    { steps: [{ ask: "Not {{input.text}}. Which color?" }] },
  ];
}
