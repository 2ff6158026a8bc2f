import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { SseReader, sendV1 } from "../support/a2a-edge.js";
import { sendMessage } from "../support/daemon/a2a.js";
import { Puppet } from "../support/daemon/puppet.js";
import { startDaemon, type TestDaemon } from "../support/daemon/start-daemon.js";
import { resultOf, untilSettled } from "../support/daemon/watch.js";
import { runCli } from "../support/run-cli.js";

const echo = { name: "echo", visibility: "public", runtime: "scripted" };
const hanging = { runtime: "scripted", script: [{ steps: [{ status: "on it" }, { hang: true }] }] };
const saying = (name: string, text: string) => ({
  ...{ name, visibility: "public", runtime: "scripted" },
  script: [{ steps: [{ reply: text }] }],
});

const cardOf = ({ url }: TestDaemon, agent: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/v1/agents/${agent}/a2a/.well-known/agent-card.json`, { headers });

const NOTHING = { added: [], changed: [], removed: [] };

it("ends what began on the configuration that it began with; what begins after goes by the new one", async () => {
  const puppet = await Puppet.start();
  const config = (prompt: string, allow: string[]) => ({
    providers: { puppet: puppet.provider },
    personas: [
      { name: "worker", model: "puppet", provider: "puppet", systemPromptFile: prompt, capabilities: { allow } },
      echo,
    ],
  });
  const files = { "old.md": "The old prompt.", "new.md": "The new prompt." };
  const daemon = await startDaemon(config("old.md", ["persona.send:*"]), { files });
  const { client } = daemon;
  const before = await client.send({ persona: "worker", text: "begun before" });
  const first = await puppet.asked();
  expect(first.system).toContain("The old prompt.");

  daemon.configure(config("new.md", []));
  expect((await client.reload()).personas).toEqual({ ...NOTHING, changed: ["worker"] });
  first.answer({ tools: [{ name: "persona_list", args: {} }] });
  const second = await puppet.asked();
  expect([second.text, second.system]).toEqual(["begun before", first.system]);
  expect(second.tools).toEqual(first.tools);
  expect(second.results.join()).toContain("echo");

  const after = await client.send({ persona: "worker", text: "begun after" });
  const third = await puppet.asked();
  expect([third.text, third.tools]).toEqual(["begun after", ["ask_caller"]]);
  expect(third.system).toContain("The new prompt.");
  second.answer({ text: "as it was" });
  third.answer({ text: "as it is" });
  const ended = [await untilSettled(client, before.id), await untilSettled(client, after.id)];
  expect(ended.map((task) => [task.attempt, resultOf(task)])).toEqual([
    [1, "as it was"],
    [1, "as it is"],
  ]);

  // The text of the prompt alone, in the file that is named as before.
  writeFileSync(join(dirname(daemon.configFile), "new.md"), "The newest prompt.");
  expect((await client.reload()).personas.changed).toEqual(["worker"]);
  await client.send({ persona: "worker", text: "and now" });
  expect((await puppet.asked()).system).toContain("The newest prompt.");
});

it("drops nothing under load, while personas come, change and go", async () => {
  const config = (round: number) => ({
    queue: { concurrency: 1 + (round % 3) },
    personas: [saying("busy", `answer ${round}`), echo, { ...echo, name: `only-${round}` }],
  });
  const daemon = await startDaemon(config(0));
  let reloading = true;
  const callers = [1, 2, 3, 4].map(async () => {
    const answers: string[] = [];
    while (reloading) answers.push(resultOf(await sendMessage(daemon.url, "busy", { text: "go" })));
    return answers;
  });
  for (let round = 1; round <= 12; round++) {
    daemon.configure(config(round));
    const { personas } = await daemon.client.reload();
    expect(personas).toEqual({ added: [`only-${round}`], changed: ["busy"], removed: [`only-${round - 1}`] });
    // What begins after the answer goes by the new one.
    expect(resultOf(await sendMessage(daemon.url, "busy", { text: "go" }))).toBe(`answer ${round}`);
  }
  reloading = false;
  const answers = await Promise.all(callers);
  for (const seen of answers) {
    const rounds = seen.map((text) => Number(text.replace("answer ", "")));
    expect(rounds).toEqual([...rounds].sort((a, b) => a - b));
  }
  const { tasks } = await daemon.client.status();
  expect(tasks).toMatchObject({ pending: 0, processing: 0, dead: 0 });
});

it("a broken file, and one that needs a restart, changes nothing at all; SIGHUP does the same as the command", async () => {
  const daemon = await startDaemon({ personas: [saying("a", "as it was")] });
  const { client, configFile } = daemon;
  const lastModified = (await cardOf(daemon, "a")).headers.get("last-modified");
  const good = { personas: [saying("a", "as it is")], a2a: { maxHops: 5 } };

  daemon.configure({ ...good, a2a: { maxHops: 99 } });
  await expect(client.reload()).rejects.toMatchObject({
    code: "invalid_argument",
    field: "a2a.maxHops",
    message: expect.stringMatching(`^${configFile}:\\d+:12: a2a.maxHops: 99 is out of bounds; use a whole number`),
  });
  daemon.configure({ ...good, dataDir: "./elsewhere", queue: { concurrency: 3 }, server: { port: 1 } });
  await expect(client.reload()).rejects.toMatchObject({
    code: "failed_precondition",
    message: "restart to change dataDir, server.port; nothing was changed",
  });
  writeFileSync(configFile, "personas: [");
  process.kill(daemon.pid, "SIGHUP");
  const refusal = await daemon.logged(({ msg }) => String(msg).startsWith("the configuration was not loaded anew"));
  expect(refusal.reason).toContain(`${configFile}:1:`);
  expect(resultOf(await sendMessage(daemon.url, "a", { text: "go" }))).toBe("as it was");
  expect((await client.status()).slots.total).toBe(5);
  expect((await cardOf(daemon, "a")).headers.get("last-modified")).toBe(lastModified);

  daemon.configure(good);
  process.kill(daemon.pid, "SIGHUP");
  const taken = await daemon.logged(({ msg }) => msg === "the configuration was loaded anew");
  expect(taken.personas).toEqual({ ...NOTHING, changed: ["a"] });
  expect(resultOf(await sendMessage(daemon.url, "a", { text: "go" }))).toBe("as it is");
  expect(await client.reload()).toEqual({ personas: NOTHING, restartNeeded: [] });
  expect(readFileSync(configFile, "utf8")).toContain("maxHops: 5");
});

it("nuncio reload says what it did, and with --json the same as a document; what it could not do is the file's fault", async () => {
  const daemon = await startDaemon({ personas: [echo, { ...echo, name: "goes" }] });
  const reload = (...options: string[]) => runCli(["reload", "--config", daemon.configFile, ...options]);
  daemon.configure({
    personas: [
      { ...echo, description: "another" },
      { ...echo, name: "comes", tenant: "acme" },
    ],
  });
  const taken = await reload();
  expect([taken.code, taken.stdout]).toEqual([0, "reloaded\nadded: acme/comes\nchanged: echo\nremoved: goes\n"]);
  expect((await reload("--json")).json()).toEqual({ personas: NOTHING, restartNeeded: [] });

  daemon.configure({ personas: [echo], a2a: { maxHops: "many" }, storage: { type: "sqlite" } });
  const broken = await reload("--json");
  expect([broken.code, broken.json().error]).toMatchObject([
    2,
    {
      code: "invalid_argument",
      field: "a2a.maxHops",
      message: expect.stringContaining(`${daemon.configFile}:`),
      hint: expect.stringContaining("until then everything goes on as it was"),
    },
  ]);
  daemon.configure({ personas: [echo], mode: "production" });
  const restart = await reload();
  expect(restart.code).toBe(2);
  expect(restart.stderr).toContain("restart to change mode; nothing was changed");
  await daemon.kill("SIGTERM");
  expect((await reload()).code).toBe(3);
});

it("E4 R6 a stream ends when its reader may not see the agent any more, the task goes on, and the card is gone at once", async () => {
  const agent = (changes: object) => ({
    access: { anonymous: false },
    personas: [{ name: "desk", visibility: "public", ...hanging, ...changes }, echo],
  });
  const daemon = await startDaemon(agent({}));
  const { client } = daemon;
  await client.createTenant("acme");
  const [outside, inside] = await Promise.all([
    client.createKey({ name: "app", tenant: "acme", scopes: ["runs:execute"] }),
    client.createKey({ name: "app", scopes: ["runs:execute"] }),
  ]);
  const stream = async ({ key }: { key: string }) => {
    const headers = { authorization: `Bearer ${key}`, "a2a-version": "1.0" };
    const body = { ...sendV1("go"), method: "SendStreamingMessage" };
    const reader = await SseReader.open(`${daemon.url}/v1/agents/desk/a2a`, body, headers);
    return { reader, id: (await reader.next())?.data.result.task.id as string };
  };
  const outsiders = await stream(outside);
  const insiders = await stream(inside);
  expect((await cardOf(daemon, "desk")).status).toBe(200);

  daemon.configure(agent({ visibility: "private" }));
  await client.reload();
  const absent = await cardOf(daemon, "absent");
  const hidden = await cardOf(daemon, "desk");
  expect([hidden.status, await hidden.text()]).toEqual([404, await absent.text()]);
  expect((await cardOf(daemon, "desk", { authorization: `Bearer ${inside.key}` })).status).toBe(200);
  const told = await outsiders.reader.rest();
  expect(told.at(-1)?.data.error).toMatchObject({ code: -32001 });
  expect(await client.task(outsiders.id)).toMatchObject({ state: "processing" });

  // Whose agent has gone reads of it no more, either; its work stays, and says what it waits for.
  const waiting = await client.send({ persona: "desk", text: "waits for a slot" });
  await client.send({ persona: "desk", text: "waits for a slot, too" });
  daemon.configure({ access: { anonymous: false }, personas: [echo] });
  expect((await client.reload()).personas.removed).toEqual(["desk"]);
  expect((await insiders.reader.rest()).at(-1)?.data.error).toMatchObject({ code: -32001 });
  expect(await client.task(insiders.id)).toMatchObject({ state: "processing" });
  expect(await client.task(waiting.id)).toMatchObject({
    state: "pending",
    why: expect.stringContaining("persona desk is not loaded; add it to the configuration and run `nuncio reload`"),
  });
  await expect(client.send({ persona: "desk", text: "one more" })).rejects.toMatchObject({ code: "not_found" });
  await client.cancel(insiders.id);

  daemon.configure({ access: { anonymous: false }, personas: [{ ...saying("desk", "back"), visibility: "private" }] });
  await client.reload();
  expect(resultOf(await untilSettled(client, waiting.id))).toBe("back");
});

it("E24 limits and those who are believed follow: what was let in without a credential ends with that", async () => {
  const config = (access: object) => ({ access, personas: [{ name: "desk", visibility: "public", ...hanging }, echo] });
  const daemon = await startDaemon(config({ anonymous: true }));
  const { client } = daemon;
  const { key } = await client.createKey({ name: "app", scopes: ["runs:execute"] });
  const headers = { "a2a-version": "1.0", "content-type": "application/json" };
  const call = (more: Record<string, string>) =>
    fetch(`${daemon.url}/v1/agents/echo/a2a`, {
      method: "POST",
      headers: { ...headers, ...more },
      body: JSON.stringify(sendV1("go")),
    });
  const body = { ...sendV1("go"), method: "SendStreamingMessage" };
  const anonymous = await SseReader.open(`${daemon.url}/v1/agents/desk/a2a`, body, { "a2a-version": "1.0" });
  await anonymous.next();
  expect((await call({})).status).toBe(200);

  daemon.configure(config({ anonymous: false, limits: { requestsPerMinute: 2 } }));
  await client.reload();
  expect((await anonymous.rest()).at(-1)?.data.error).toMatchObject({ code: -32000 });
  expect((await call({})).status).toBe(401);
  const answers = [];
  for (let n = 0; n < 3; n++) answers.push(await call({ authorization: `Bearer ${key}` }));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
  const retryAfter = Number(answers[2]?.headers.get("retry-after"));
  expect(retryAfter).toBeGreaterThan(0);
  expect(retryAfter).toBeLessThanOrEqual(60);

  daemon.configure(config({ anonymous: false }));
  await client.reload();
  expect((await call({ authorization: `Bearer ${key}` })).status).toBe(200);
});
