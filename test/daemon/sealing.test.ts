import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { sendMessage } from "../support/daemon/a2a.js";
import { daemonDirectory } from "../support/daemon/daemon-process.js";
import { startDaemon, startRefused } from "../support/daemon/start-daemon.js";
import { Receiver } from "../support/receiver.js";

const PERSONAS = [{ name: "echo", runtime: "scripted", visibility: "public" }];
const KEYS = JSON.stringify({ format: 1, current: "a", keys: [{ id: "a", key: "A".repeat(43) }] });

it.each([
  ["others may read", "0640: others may use it", (file: string) => chmodSync(file, 0o640)],
  [
    "is a link",
    "is a link",
    (file: string) => {
      rmSync(file);
      writeFileSync(`${file}.other`, KEYS, { mode: 0o600 });
      symlinkSync(`${file}.other`, file);
    },
  ],
  ["is none", "is not JSON", (file: string) => writeFileSync(file, "AAAA")],
])("R7 X13 a daemon does not start with a key file that %s", async (_, said, spoil) => {
  const place = daemonDirectory({ personas: PERSONAS, access: { anonymous: true, sealingKeyFile: "own/keys.json" } });
  onTestFinished(() => place.remove());
  const file = join(dirname(place.configFile), "own", "keys.json");
  mkdirSync(dirname(file));
  writeFileSync(file, KEYS, { mode: 0o600 });
  spoil(file);
  const { code, stderr } = await startRefused(place.configFile);
  expect(code).toBe(2);
  expect(stderr).toContain(said);
  expect(stderr).not.toContain("AAAA");
});

it("X13 a daemon whose keys are lost says so, and goes on", async () => {
  const receiver = await Receiver.start();
  onTestFinished(() => receiver.stop());
  const daemon = await startDaemon({ outbound: { allow: [receiver.pair] }, personas: PERSONAS });
  const push = { url: receiver.url("/hook"), token: "t" };
  await sendMessage(daemon.url, "echo", { text: "hello", push });
  await daemon.kill("SIGTERM");
  rmSync(join(daemon.dataDir, "keys"), { recursive: true });
  await daemon.restart();
  expect(await daemon.logged(({ keyId }) => keyId !== undefined)).toMatchObject({
    msg: expect.stringContaining("secrets in the ledger cannot be opened"),
    file: join(daemon.dataDir, "keys", "sealing.json"),
  });
  expect(await sendMessage(daemon.url, "echo", { text: "again" })).toMatchObject({
    status: { state: "TASK_STATE_COMPLETED" },
  });
});
