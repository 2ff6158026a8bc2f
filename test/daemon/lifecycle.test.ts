import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { getTask, sendMessage } from "../support/daemon/a2a.js";
import { daemonDirectory } from "../support/daemon/daemon-process.js";
import { Puppet } from "../support/daemon/puppet.js";
import { startDaemon, startRefused } from "../support/daemon/start-daemon.js";
import { resultOf, untilLine, untilSettled } from "../support/daemon/watch.js";
import { rowsOf, withFile } from "../support/ledgers/stored-ledger.js";

const worker = { name: "worker", visibility: "public", model: "puppet", provider: "puppet", maxConcurrent: 2 };
const echo = { name: "echo", visibility: "public", runtime: "scripted" };
const puppetry = (puppet: Puppet, drainMs: number) => ({
  queue: { drainMs },
  providers: { puppet: puppet.provider },
  personas: [worker],
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("a shutdown", () => {
  it.each(["SIGTERM", "SIGINT"] as const)(
    "D14 lets what runs finish, and takes no more work, at a %s",
    async (signal) => {
      const puppet = await Puppet.start();
      const daemon = await startDaemon(puppetry(puppet, 600_000));
      const { client } = daemon;
      const running = await client.send({ persona: "worker", text: "running" });
      const asked = await puppet.asked();
      const exited = daemon.kill(signal);
      await daemon.logged(({ msg }) => String(msg).startsWith("stopping"));

      const late = await client.send({ persona: "worker", text: "late" });
      expect(await client.status()).toMatchObject({ draining: true, tasks: { pending: 1, processing: 1 } });
      expect((await client.task(late.id)).why).toContain("the daemon is shutting down");
      asked.answer({ text: "finished" });
      expect(await exited).toMatchObject({ code: 0, signal: null });

      await daemon.restart();
      const finished = await client.task(running.id);
      expect([finished.state, finished.attempt, resultOf(finished)]).toEqual(["completed", 1, "finished"]);
      const next = await puppet.asked();
      expect(next.text).toBe("late");
      next.answer({ text: "finished, too" });
      expect(resultOf(await untilSettled(client, late.id))).toBe("finished, too");
    },
  );

  it("D14 hands back what does not finish in time, without losing an attempt", async () => {
    const puppet = await Puppet.start();
    const daemon = await startDaemon({ ...puppetry(puppet, 50), a2a: { maxAttempts: 1 } });
    const { client } = daemon;
    const { id } = await client.send({ persona: "worker", text: "work" });
    const asked = await puppet.asked();
    expect(await daemon.kill("SIGTERM")).toMatchObject({ code: 0, signal: null });
    await asked.abandoned;

    await daemon.restart();
    (await puppet.asked()).answer({ text: "done" });
    const done = await untilSettled(client, id);
    expect([done.state, done.attempt, resultOf(done)]).toEqual(["completed", 1, "done"]);
  });

  it("D9 is cut short by a second signal, and the next start recovers what ran", async () => {
    const puppet = await Puppet.start();
    const daemon = await startDaemon(puppetry(puppet, 600_000));
    const { id } = await daemon.client.send({ persona: "worker", text: "work" });
    await puppet.asked();
    void daemon.kill("SIGTERM");
    await daemon.logged(({ msg }) => String(msg).startsWith("stopping"));
    expect(await daemon.kill("SIGTERM")).toMatchObject({ code: null, signal: "SIGTERM" });

    await daemon.restart();
    (await puppet.asked()).answer({ text: "done" });
    const done = await untilSettled(daemon.client, id);
    expect([done.state, done.attempt]).toEqual(["completed", 2]);
  });

  it("D14 stops the programs of command personas, and the next start runs them again", async () => {
    const daemon = await startDaemon({
      queue: { drainMs: 0 },
      a2a: { maxAttempts: 1 },
      providers: { program: { type: "command", command: "sh", args: ["-c", "echo $$; exec sleep 600"] } },
      personas: [{ name: "program", provider: "program" }],
    });
    const { client } = daemon;
    const { id } = await client.send({ persona: "program", text: "run" });
    const printed = async (other?: number): Promise<number> => {
      let pid = 0;
      await untilLine(client, id, (line) => {
        if (line.type !== "event" || line.event.type !== "artifact") return false;
        pid = Number(resultOf({ artifacts: [line.event.artifact] }));
        return pid > 0 && pid !== other;
      });
      return pid;
    };
    const first = await printed();
    expect(await daemon.kill("SIGTERM")).toMatchObject({ code: 0 });
    expect(isAlive(first)).toBe(false);

    await daemon.restart();
    const second = await printed(first);
    await client.cancel(id);
    expect(isAlive(second)).toBe(false);
    expect((await client.task(id)).attempt).toBe(1);
  });

  it.each(["SIGTERM", "SIGKILL"] as const)(
    "E11 D9 ends the connection of a caller that waits, at a %s, and the task goes on after the restart",
    async (signal) => {
      const puppet = await Puppet.start();
      const daemon = await startDaemon(puppetry(puppet, 0));
      const message = { text: "work", messageId: "only-once" };
      const waiting = sendMessage(daemon.url, "worker", message).then(
        (task) => task.status.state,
        () => "no answer",
      );
      await puppet.asked();
      await daemon.kill(signal);
      // Either the task as it stood or no answer: never one that says that it has ended.
      expect(["no answer", "TASK_STATE_WORKING", "TASK_STATE_SUBMITTED"]).toContain(await waiting);

      await daemon.restart();
      const repeated = sendMessage(daemon.url, "worker", message);
      (await puppet.asked()).answer({ text: "done" });
      const done = await repeated;
      expect([done.status.state, resultOf(done)]).toEqual(["TASK_STATE_COMPLETED", "done"]);
      expect((await daemon.client.tasks()).tasks.map(({ id }) => id)).toEqual([done.id]);
      expect(await getTask(daemon.url, "worker", done.id)).toEqual(done);
    },
  );
});

describe("a start", () => {
  it("D9 that is killed at any moment of it leaves the next one nothing to repair", async () => {
    const puppet = await Puppet.start();
    const daemon = await startDaemon({ ...puppetry(puppet, 0), a2a: { maxAttempts: 20 } });
    const { id } = await daemon.client.send({ persona: "worker", text: "work" });
    await puppet.asked();
    await daemon.kill("SIGKILL");
    // From before it has read its configuration until it serves, whatever the machine makes of the times.
    for (let ms = 0; ms < 1500; ms += 250) {
      daemon.begin();
      await after(ms);
      await daemon.kill("SIGKILL");
    }
    await daemon.restart();
    // Some of the processes that were killed may have come as far as to ask.
    const done = untilSettled(daemon.client, id);
    const answers = async () => {
      for (;;) (await puppet.asked()).answer({ text: "done" });
    };
    void answers();
    expect(resultOf(await done)).toBe("done");
  });

  it("D9 without a persona keeps its tasks, says so, and runs them when it is back", async () => {
    const puppet = await Puppet.start();
    const config = puppetry(puppet, 0);
    const daemon = await startDaemon(config);
    const { client } = daemon;
    const running = await client.send({ persona: "worker", text: "running" });
    await puppet.asked();
    await daemon.kill("SIGKILL");

    daemon.configure({ ...config, personas: [echo] });
    await daemon.restart();
    await untilLine(
      client,
      running.id,
      (line) => line.type === "event" && line.event.type === "status" && line.event.state === "pending",
    );
    expect(await client.task(running.id)).toMatchObject({
      state: "pending",
      why: expect.stringContaining("persona worker is not loaded; add it to the configuration and run `nuncio reload`"),
    });
    await expect(client.send({ persona: "worker", text: "no" })).rejects.toMatchObject({ code: "not_found" });
    await daemon.kill("SIGTERM");

    daemon.configure(config);
    await daemon.restart();
    (await puppet.asked()).answer({ text: "done" });
    expect(resultOf(await untilSettled(client, running.id))).toBe("done");
  });
});

describe("a start that is refused says why and what to do, and leaves everything as it was", () => {
  it("a second daemon on the same data directory", async () => {
    const daemon = await startDaemon({ personas: [echo] });
    const refused = await startRefused(daemon.configFile);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(`error: another daemon is running on ${daemon.dataDir}`);
    expect(refused.stderr).toContain("nuncio status");
    expect((await daemon.client.status()).pid).toBe(daemon.pid);
    expect(resultOf(await sendMessage(daemon.url, "echo", { text: "still here" }))).toBe("still here");
  });

  it("X11 a ledger that a newer version wrote", async () => {
    const daemon = await startDaemon({ personas: [echo] });
    const { id } = await daemon.client.send({ persona: "echo", text: "kept" });
    await daemon.kill("SIGTERM");
    const file = join(daemon.dataDir, "ledger.db");
    const schema = (version?: number) => {
      const [current] = rowsOf(file, "PRAGMA user_version");
      if (version !== undefined) withFile(file, (driver) => driver.exec(`PRAGMA user_version = ${version}`));
      return current?.user_version;
    };
    const known = schema(99) as number;
    const refused = await startRefused(daemon.configFile);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(`the ledger has schema version 99, and this program knows only up to ${known}`);
    expect(schema(known)).toBe(99);
    await daemon.restart();
    expect(resultOf(await untilSettled(daemon.client, id))).toBe("kept");
  });

  it("a data directory whose control socket would have too long a path", async () => {
    const place = daemonDirectory({ dataDir: `./${"long/".repeat(30)}data`, personas: [echo] });
    const refused = await startRefused(place.configFile);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/the control socket's path has \d+ bytes, and this system allows 1\d\d/);
    expect(refused.stderr).toContain("set a shorter dataDir");
    expect(existsSync(join(dirname(place.configFile), "long"))).toBe(false);
    place.remove();
  });

  it("a port that somebody else listens on", async () => {
    const other = await startDaemon({ personas: [echo] });
    const { port } = new URL(other.url);
    const place = daemonDirectory({ server: { port: Number(port) }, personas: [echo] });
    const refused = await startRefused(place.configFile);
    place.remove();
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain(`127.0.0.1:${port} is in use`);
    expect(refused.stderr).toContain("server.port");
  });

  it("a host that is not this machine", async () => {
    const place = daemonDirectory({ server: { host: "192.0.2.1", port: 0 }, access: {}, personas: [echo] });
    const refused = await startRefused(place.configFile);
    place.remove();
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain("192.0.2.1 is no address of this machine");
  });

  it("a configuration with a mistake", async () => {
    const place = daemonDirectory({ queue: { concurrency: 0 }, personas: [echo] });
    const refused = await startRefused(place.configFile);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/nuncio\.yaml:\d+:\d+.*use a whole number from 1 to 1000/);
    expect(existsSync(place.dataDir)).toBe(false);
    place.remove();
  });
});
