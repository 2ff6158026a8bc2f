import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { sendMessage } from "../support/daemon/a2a.js";
import { startDaemon, type TestDaemon } from "../support/daemon/start-daemon.js";
import { resultOf, untilSettled } from "../support/daemon/watch.js";
import { runCli } from "../support/run-cli.js";

const scripted = (name: string, ...script: object[]) => ({
  name,
  runtime: "scripted",
  visibility: "public",
  capabilities: { allow: ["persona.send:*"] },
  script,
});

interface Answer {
  result?: { task: { id: string } };
  error?: object;
}

/** The answer of an agent to a message that starts a task. */
async function post(daemon: TestDaemon, agent: string, text: string, messageId: string = randomUUID()) {
  const message = { messageId, role: "ROLE_USER", parts: [{ text }] };
  const params = { message, configuration: { returnImmediately: true } };
  const response = await fetch(`${daemon.url}/v1/agents/${agent}/a2a`, {
    method: "POST",
    headers: { "content-type": "application/json", "a2a-version": "1.0" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "SendMessage", params }),
  });
  return { status: response.status, headers: response.headers, json: (await response.json()) as Answer };
}

it("a full queue refuses retryably in the words of whoever asks, answers what it has already, and takes work again", async () => {
  const daemon = await startDaemon({
    queue: { maxPendingPerPersona: 1 },
    personas: [
      { ...scripted("narrow", { steps: [{ status: "hanging" }, { hang: true }] }), maxConcurrent: 1 },
      scripted("lead", {
        steps: [{ send: { to: "narrow", message: "help", as: "one" } }, { reply: "{{results.one.error}}" }],
      }),
    ],
  });
  const running = await daemon.client.send({ persona: "narrow", text: "first" });
  const messageId = randomUUID();
  const queued = await post(daemon, "narrow", "second", messageId);
  expect(queued.status).toBe(200);

  const refused = await post(daemon, "narrow", "third");
  expect(refused.status).toBe(429);
  expect(refused.headers.get("retry-after")).toBe("1");
  expect(refused.json.error).toMatchObject({
    code: -32000,
    message:
      'The queue of "narrow" is full: the limit is 1 pending tasks (queue.maxPendingPerPersona): try again when some of it has been done',
    data: [{ reason: "RESOURCE_EXHAUSTED", metadata: { limit: "1" } }, { retryDelay: "1s" }],
  });
  expect((await post(daemon, "narrow", "second", messageId)).json.result?.task.id).toBe(queued.json.result?.task.id);

  const asked = daemon.client.send({ persona: "narrow", text: "third" });
  await expect(asked).rejects.toMatchObject({ code: "limit_reached", reason: "maxPendingPerPersona", retryable: true });
  const cli = await runCli(["send", "narrow", "third", "--config", daemon.configFile]);
  expect(cli.code).toBe(1);
  expect(cli.stderr).toContain("try again when some of it has been done");
  const lead = await untilSettled(daemon.client, (await daemon.client.send({ persona: "lead", text: "go" })).id);
  expect(resultOf(lead)).toContain('the queue of "narrow" is full');

  await daemon.client.cancel(running.id);
  await expect.poll(() => post(daemon, "narrow", "third").then(({ status }) => status)).toBe(200);
});

it("E11 X7 a message whose task was purged is not done again, over any face, and says so", async () => {
  const daemon = await startDaemon({ retention: { finishedDays: 1 }, personas: [scripted("echo")] });
  const messageId = randomUUID();
  const { id } = await sendMessage(daemon.url, "echo", { text: "once", messageId });
  const own = await daemon.client.send({ persona: "echo", text: "once", messageId });
  await untilSettled(daemon.client, own.id);
  for (const task of [id, own.id]) expect(await daemon.client.purgeTask(task)).toEqual({ purged: 1 });

  const again = await post(daemon, "echo", "once", messageId);
  expect(again.json.error).toMatchObject({ code: -32001, data: [{}, { reason: "TASK_PURGED" }] });
  const sent = daemon.client.send({ persona: "echo", text: "once", messageId });
  await expect(sent).rejects.toMatchObject({ code: "not_found", reason: "TASK_PURGED" });
  expect((await daemon.client.tasks()).tasks).toEqual([]);
});
