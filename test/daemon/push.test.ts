import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { cancelTask, getTask, sendMessage } from "../support/daemon/a2a.js";
import { startDaemon } from "../support/daemon/start-daemon.js";
import { type Received, Receiver, says } from "../support/receiver.js";
import { runCli } from "../support/run-cli.js";

const SECRET = "a-token-of-the-receiver";
const CREDENTIALS = "credentials-of-the-receiver";

async function place(more: object = {}) {
  const receiver = await Receiver.start();
  onTestFinished(() => receiver.stop());
  const daemon = await startDaemon({
    outbound: { allow: [receiver.pair] },
    a2a: { push: { backoffBaseMs: 20, backoffMaxMs: 100, maxAttempts: 5, timeoutMs: 5000 } },
    personas: [
      {
        name: "teller",
        runtime: "scripted",
        visibility: "public",
        script: [
          { when: { text: "^ask" }, steps: [{ ask: "which one?" }] },
          {
            steps: [1, 2, 3, 4, 5, 6, 7, 8]
              .map((at) => ({ status: `step ${at}` }))
              .concat([{ reply: "done" } as never]),
          },
        ],
      },
    ],
    ...more,
  });
  return { receiver, daemon };
}

const push = (url: string) => ({
  ...{ id: "hook", url: `${url}?key=${SECRET}`, token: SECRET },
  authentication: { scheme: "Bearer", credentials: CREDENTIALS },
});
const PATH = `/hook?key=${SECRET}`;
const eventIdOf = ({ headers }: Received): string => String(headers["x-nuncio-event-id"]);
const saidOf = ({ body }: Received): string =>
  body.statusUpdate?.status.message?.parts[0].text ?? body.statusUpdate?.status.state ?? "artifact";

it("E23 a daemon that is killed in the middle loses nothing and repeats at most what was being told, with its id", async () => {
  const { receiver, daemon } = await place();
  let killed: Promise<unknown> | undefined;
  const url = receiver.url("/hook");
  receiver.url(PATH, (_, response, count) => {
    // It has been told, and the daemon never hears so.
    if (count === 4) killed = daemon.kill("SIGKILL");
    else response.writeHead(200).end();
  });
  const { id } = await sendMessage(daemon.url, "teller", { text: "go", push: push(url) }).catch(() => ({ id: "" }));
  await receiver.until(PATH, 4);
  await killed;
  await daemon.restart();
  await receiver.until(PATH, 12);
  const told = receiver.at(PATH);
  const lists = await daemon.client.pushes();
  const taskId = lists.pushes[0]?.taskId ?? "";
  expect(["", taskId]).toContain(id);

  const unique = new Map(told.map((each) => [eventIdOf(each), saidOf(each)]));
  expect([...unique.values()]).toEqual([
    ...["TASK_STATE_WORKING", ...[1, 2, 3, 4, 5, 6, 7, 8].map((at) => `step ${at}`)],
    ...["artifact", "TASK_STATE_COMPLETED"],
  ]);
  expect(told.length - unique.size).toBe(1);
  expect(eventIdOf(told[3] as Received)).toBe(eventIdOf(told[4] as Received));
  for (;;) {
    const { pushes } = await daemon.client.pushes();
    if (pushes[0]?.state === "done") break;
  }
});

it("E23 R7 what fails is shown, given up and taken up again by command, and no secret is in any of it", async () => {
  const { receiver, daemon } = await place();
  const url = receiver.url("/hook");
  receiver.url(PATH, says(500));
  const task = await sendMessage(daemon.url, "teller", { text: "ask", push: push(url), returnImmediately: true });
  await daemon.logged(({ msg }) => msg === "a receiver of push notifications was given up");
  const cli = (...args: string[]) => runCli([...args, "--config", daemon.configFile]);

  const list = await cli("push", "list", "--state", "disabled");
  expect(list.stdout).toContain(task.id);
  expect(list.stdout).toMatch(/127\.0\.0\.1:\d+\/hook\?… +disabled +5 .*it answered 500/);
  expect(list.stderr).toContain(`nuncio push retry ${task.id}`);
  const retried = await cli("push", "retry", task.id, "hook", "--json");
  receiver.url(PATH);
  expect(JSON.parse(retried.stdout)).toMatchObject({ pushes: [{ id: "hook", state: "waiting", attempts: 0 }] });
  await receiver.until(PATH, 7);
  await cli("push", "disable", task.id, "--reason", "enough of it");
  const before = receiver.at(PATH).length;
  await cancelTask(daemon.url, "teller", task.id);
  expect(await getTask(daemon.url, "teller", task.id)).toMatchObject({ status: { state: "TASK_STATE_CANCELED" } });
  const after = await daemon.client.pushes();
  expect(after.pushes).toMatchObject([{ state: "disabled", lastError: "enough of it" }]);

  const rotated = await cli("sealing", "rotate", "--json");
  expect(JSON.parse(rotated.stdout)).toMatchObject({ resealed: 1, unreadable: 0 });
  expect(statSync(join(daemon.dataDir, "keys", "sealing.json")).mode & 0o777).toBe(0o600);
  await daemon.client.retryPush(task.id);
  await receiver.until(PATH, before + 1);
  expect(receiver.at(PATH).at(-1)?.headers).toMatchObject({
    ...{ authorization: `Bearer ${CREDENTIALS}`, "x-a2a-notification-token": SECRET },
  });

  const { stderr, stdout } = await daemon.kill("SIGTERM");
  const ledger = readFileSync(join(daemon.dataDir, "ledger.db"));
  const said = JSON.stringify([list, retried, after, rotated]);
  for (const secret of [SECRET, CREDENTIALS]) {
    expect(stderr + stdout + said).not.toContain(secret);
    expect(ledger.includes(secret)).toBe(false);
  }
});

it("E23 a receiver that hangs does not keep a daemon from stopping, and is told after the next start", async () => {
  const { receiver, daemon } = await place();
  const url = receiver.url("/hook");
  receiver.url(PATH, (_, response, count) => void (count > 1 && response.writeHead(200).end()));
  await sendMessage(daemon.url, "teller", { text: "ask", push: push(url), returnImmediately: true });
  await receiver.until(PATH, 1);
  expect(await daemon.kill("SIGTERM")).toMatchObject({ code: 0 });
  await daemon.restart();
  const told = await receiver.until(PATH, 3);
  expect(told.map(saidOf)).toEqual(["TASK_STATE_WORKING", "TASK_STATE_WORKING", "which one?"]);
  expect(new Set(told.map(eventIdOf)).size).toBe(2);
});
