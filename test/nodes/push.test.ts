import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { sendMessage } from "../support/daemon/a2a.js";
import { daemonDirectory } from "../support/daemon/daemon-process.js";
import { startPair, workerBy } from "../support/nodes/pair.js";
import { type Received, Receiver } from "../support/receiver.js";

const eventIdOf = ({ headers }: Received): string => String(headers["x-nuncio-event-id"]);

it("E23 X4 two nodes tell each event once, whichever of them runs the task; when one dies the other one goes on", async () => {
  const receiver = await Receiver.start();
  onTestFinished(() => receiver.stop());
  const shared = daemonDirectory({});
  onTestFinished(() => shared.remove());
  const { a, b } = await startPair((node) => ({
    outbound: { allow: [receiver.pair] },
    access: { anonymous: true, sealingKeyFile: join(shared.dataDir, "sealing.json") },
    personas: [
      workerBy(
        node,
        [{ when: { text: "^ask" }, steps: [{ ask: "which one?" }] }, { steps: [{ status: "one" }, { reply: "two" }] }],
        { maxConcurrent: 4 },
      ),
    ],
  }));
  const path = (at: number) => `/hook${at}`;
  const push = (at: number) => ({ id: "hook", url: receiver.url(path(at)), token: "of the receiver" });
  await Promise.all(
    Array.from({ length: 12 }, (_, at) => {
      const node = at % 2 === 0 ? a : b;
      return sendMessage(node.url, "worker", { text: `go ${at}`, push: push(at) });
    }),
  );
  for (let at = 0; at < 12; at++) await receiver.until(path(at), 4);
  // Whatever looks for what others have left has looked by the end of this.
  const asked = await sendMessage(a.url, "worker", { text: "ask", push: push(99) });
  await receiver.until(path(99), 2);
  // What a node is telling when it dies is told again by the other one; here it has recorded all of it.
  const { seq } = await b.client.task(asked.id);
  const sentSeq = async () => (await b.client.pushes({ limit: 1 })).pushes[0]?.sentSeq;
  while ((await sentSeq()) !== seq);
  await a.kill("SIGKILL");
  await b.client.cancel(asked.id);
  const told = await receiver.until(path(99), 3);
  expect(told.map(({ body }) => body.statusUpdate.status.state)).toEqual([
    ...["TASK_STATE_WORKING", "TASK_STATE_INPUT_REQUIRED", "TASK_STATE_CANCELED"],
  ]);
  expect(new Set(receiver.received.map(eventIdOf)).size).toBe(receiver.received.length);
  expect(receiver.received).toHaveLength(12 * 4 + 3);
});
