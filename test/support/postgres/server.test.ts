import { existsSync } from "node:fs";
import { Client } from "pg";
import { expect, it, onTestFinished } from "vitest";
import { startPostgres } from "./server.js";
import { freshDatabase } from "./shared.js";

it("the shared server gives a database to each who asks", async () => {
  const urls = await Promise.all([freshDatabase(), freshDatabase()]);
  for (const connectionString of urls) {
    const client = new Client({ connectionString });
    await client.connect();
    await client.query("CREATE TABLE same_name (x int)");
    await client.end();
  }
});

it("a server of one's own keeps what was committed over a crash, and leaves nothing behind", async () => {
  const server = await startPostgres();
  onTestFinished(() => server.remove());
  const [settings] = await server.query(
    "SELECT current_setting('fsync') AS fsync, current_setting('data_directory') AS files",
  );
  expect(settings?.fsync).toBe("on");
  await server.query("CREATE TABLE kept AS SELECT 1 AS x");
  for (const mode of ["immediate", "fast"] as const) {
    await server.stop(mode);
    expect(server.pid).toBeUndefined();
    await expect(server.query("SELECT 1")).rejects.toThrow("ECONNREFUSED");
    await server.start();
    expect(await server.query("SELECT x FROM kept")).toEqual([{ x: 1 }]);
  }
  await server.remove();
  expect(existsSync(String(settings?.files))).toBe(false);
});

it("a server can be frozen, and its connections can be cut", async () => {
  const server = await startPostgres({ durable: false });
  onTestFinished(() => server.remove());
  const client = new Client({ connectionString: server.url });
  await client.connect();

  await server.suspend();
  const states: string[] = [];
  const slow = client.query("SELECT 1").then(() => states.push("answered"));
  // Nothing can be awaited that does not happen; with too short a time the test only proves less.
  await new Promise((resolve) => setTimeout(resolve, 200));
  states.push("resumed");
  server.resume();
  await slow;
  expect(states).toEqual(["resumed", "answered"]);

  const cut = new Promise((resolve) => client.on("error", resolve));
  expect(await server.cutConnections()).toBe(1);
  expect(await cut).toMatchObject({ code: "57P01" });
});
