import { describe, expect, it } from "vitest";
import { daemonDirectory } from "../support/daemon/daemon-process.js";
import { startDaemon, startRefused } from "../support/daemon/start-daemon.js";

const failing = {
  name: "failing",
  visibility: "public",
  runtime: "scripted",
  script: [
    { when: { text: "^once" }, steps: [{ fail: { text: "not yet", retryable: true, attempts: 1 } }, { reply: "now" }] },
    { steps: [{ fail: "no such luck" }] },
  ],
};

describe("the log of a daemon", () => {
  it("D8 names a task that failed, why, and whether it is tried again", async () => {
    const daemon = await startDaemon({ queue: { backoffBaseMs: 1 }, personas: [failing] });
    const lost = await daemon.client.send({ persona: "failing", text: "try" });
    const failed = await daemon.logged(({ taskId }) => taskId === lost.id);
    expect(failed).toMatchObject({ persona: "failing", tenant: "default", msg: "a task failed: no such luck" });

    const retried = await daemon.client.send({ persona: "failing", text: "once" });
    const again = await daemon.logged(({ taskId }) => taskId === retried.id);
    expect(again).toMatchObject({ msg: "a task failed and is tried again: not yet" });
  });

  it("E3 warns when no card can be served", async () => {
    const daemon = await startDaemon({ mode: "production", access: {}, personas: [failing] });
    const warning = await daemon.logged(({ msg }) => String(msg).startsWith("no agent card is served"));
    expect(String(warning.msg)).toContain("server.publicBaseUrl");
  });
});

it("a data directory in a place that the system does not have is refused, and does not hang the start", async () => {
  const place = daemonDirectory({ dataDir: "/proc/nuncio/data", personas: [failing] });
  const refused = await startRefused(place.configFile);
  place.remove();
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("the data directory /proc/nuncio/data cannot be used");
});
