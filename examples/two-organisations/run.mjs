import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/*
 * Two organizations on one machine, each with a daemon of its own. Each reviews something for the other: what leaves, who is
 * let in for it and what becomes of the answer is said by commands alone, as an operator would type them. README.md tells
 * the story; here every step of it is checked.
 *
 *   node examples/two-organisations/run.mjs
 */

const HERE = fileURLToPath(new URL(".", import.meta.url));
const NUNCIO = fileURLToPath(new URL("../../bin/nuncio", import.meta.url));
const place = mkdtempSync(join(tmpdir(), "nuncio-two-"));
const daemons = new Set();

const north = organization("north", { partner: "south", file: "price.mjs", secret: "margin.txt" });
const south = organization("south", { partner: "north", file: "route.mjs", secret: "deals.txt" });
const both = [north, south];
const otherOf = (one) => (one === north ? south : north);

try {
  say("Two daemons, which know nothing of each other");
  await Promise.all(both.map(start));

  say("A token for each direction: whoever admits makes it, and hands it over");
  for (const one of both) await makeToken(one);
  for (const one of both) await takeToken(one);

  say("Each prepares what the other may have done, and grants it once");
  for (const one of both) await grant(one);

  say("Each looks at the other's card, and pins what it has seen");
  for (const one of both) await pin(one);

  say("Each has its file reviewed by the other");
  for (const one of both) await haveReviewed(one);

  say("A grant is spent: the same again is not admitted");
  await askAgain(north);

  say("Done: nothing else has left, nothing else was let in");
} finally {
  await Promise.all([...daemons].map(stop));
  rmSync(place, { recursive: true, force: true });
}

/** A copy of the folder, so that the example itself stays as it is. */
function organization(name, facts) {
  const folder = join(place, name);
  cpSync(join(HERE, name), folder, { recursive: true });
  const at = (...path) => join(folder, ...path);
  writeOwn(at("peers.json"), { schema: 1, peers: [] });
  writeOwn(at("grants.json"), { schema: 1, host: "127.0.0.1", port: 0, grants: [] });
  return { name, at, ...facts };
}

async function start(one) {
  const files = ["--a2a-config", one.at("peers.json"), "--a2a-listen-config", one.at("grants.json")];
  const child = spawn(process.execPath, [NUNCIO, "up", "--config", one.at("nuncio.yaml"), ...files], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  daemons.add(child);
  const said = [];
  const serving = new Promise((resolve, reject) => {
    createInterface(child.stderr).on("line", (line) => {
      said.push(line);
      if (line.startsWith("serving ")) resolve();
    });
    child.once("exit", () => reject(new Error(`the daemon of ${one.name} has ended:\n${said.join("\n")}`)));
  });
  await serving;
  const { listeners } = await nuncio(one, "status");
  one.url = listeners.admission;
  assert.match(one.url, /^http:\/\/127\.0\.0\.1:\d+$/);
}

async function makeToken(one) {
  const { partner, at } = one;
  const made = await nuncio(
    one,
    "a2a credential",
    partner,
    "--file",
    at("inbound.json"),
    "--handover",
    at("handover.json"),
  );
  one.token = JSON.parse(readFileSync(at("handover.json"), "utf8")).token;
  assert.match(made.digest, /^sha256:[0-9a-f]{64}$/);
}

async function takeToken(one) {
  const handedOver = otherOf(one).at("handover.json");
  await nuncio(one, "a2a credential", one.partner, "--file", one.at("outbound.json"), "--from", handedOver);
}

async function grant(one) {
  const { partner, at } = one;
  const { id, revision } = await nuncio(one, "task create", "--plan", at("offer.yaml"), "--workspace", at("workspace"));
  const { assignmentId } = await nuncio(
    ...[one, "team assign", id, "--step", "analyze", "--profile", "nuncio/reviewer", "--runtime", "native"],
    ...["--invocations", "5", "--revision", revision],
  );
  const granted = await nuncio(
    ...[one, "a2a grant", "--assignment", assignmentId, "--peer", partner, "--credential-file", at("inbound.json")],
    ...["--tenant", "project-one", "--skill", "review"],
  );
  const listener = JSON.parse(readFileSync(at("grants.json"), "utf8"));
  writeOwn(at("grants.json"), { ...listener, grants: [granted] });
  await nuncio(one, "reload");
}

async function pin(one) {
  const { partner, at, file } = one;
  const { url } = otherOf(one);
  const where = ["--endpoint", `${url}/a2a`, "--card-url", `${url}/.well-known/agent-card.json`];
  const how = [
    "--tenant",
    "project-one",
    "--credential-file",
    at("outbound.json"),
    "--addresses",
    "127.0.0.1",
    "--local",
  ];
  const card = await nuncio(one, "a2a discover", "--peer", partner, ...where, ...how);
  assert.equal(card.supportedInterfaces[0].tenant, "project-one");
  writeOwn(at("card.json"), card);
  const pinned = await nuncio(
    ...[one, "a2a pin", "--peer", partner, ...where, ...how, "--card-file", at("card.json")],
    ...["--skill", "review", "--files", file],
  );
  assert.deepEqual(pinned.files, [file]);
  writeOwn(at("peers.json"), { schema: 1, peers: [pinned] });
  await nuncio(one, "reload");
}

async function haveReviewed(one) {
  const { at, partner, file, secret } = one;
  const { plannedTaskId, childId } = await giveToPartner(one);
  const child = await nuncio(one, "task watch", childId);
  assert.equal(child.state, "completed");

  const dispatch = await nuncio(one, "a2a inspect", childId);
  assert.equal(dispatch.state, "accepted");
  const disclosed = dispatch.sends.flatMap((send) => send.disclosed.map(({ path }) => path));
  assert.deepEqual(disclosed, [file]);
  assert.equal(dispatch.facts.remoteTerminal.state, "TASK_STATE_COMPLETED");
  assert.equal(dispatch.result.verified, false);
  const [{ parts }] = child.artifacts;
  assert.match(parts[0].text, one === north ? /^One finding/ : /^No finding/);
  show(`${partner} to ${one.name}: ${parts[0].text}`);

  // What a peer says completes nothing: our own check does.
  const { revision, state } = await nuncio(one, "team list", plannedTaskId);
  assert.equal(state, "open");
  const done = await nuncio(one, "task complete", plannedTaskId, "--revision", revision);
  assert.equal(done.state, "completed");
  assert.ok(done.checks.length > 0 && done.checks.every(({ green }) => green));

  // The other side has the pinned file, and not the one beside it.
  const other = otherOf(one);
  const { tasks } = await nuncio(other, "task list");
  const shown = [];
  for (const { id } of tasks) shown.push(await nuncio(other, "task show", id));
  const theirs = JSON.stringify(shown);
  const textOf = (name) => JSON.stringify(readFileSync(at("workspace", name), "utf8").trim()).slice(1, -1);
  assert.ok(theirs.includes(textOf(file)));
  assert.ok(!theirs.includes(textOf(secret)));
}

async function askAgain(one) {
  const { childId } = await giveToPartner(one);
  const child = await nuncio(one, "task watch", childId);
  assert.equal(child.state, "failed");
  const dispatch = await nuncio(one, "a2a inspect", childId);
  assert.equal(dispatch.state, "refused");
  show(`${one.partner} to ${one.name}: ${dispatch.lastError}`);
}

/** Admits the plan, gives its step to the partner, and has it run. */
async function giveToPartner(one) {
  const { at, partner } = one;
  const { id, revision } = await nuncio(
    one,
    "task create",
    "--plan",
    at("review.yaml"),
    "--workspace",
    at("workspace"),
  );
  const given = await nuncio(
    ...[one, "team assign", id, "--step", "review", "--profile", "nuncio/reviewer", "--runtime", partner],
    ...["--invocations", "1", "--revision", revision],
  );
  return await nuncio(
    ...[one, "team run", id, "--assignment", given.assignmentId, "--generation", given.generation],
    ...["--revision", given.revision],
  );
}

/** Runs one command and gives its document. */
async function nuncio(one, command, ...args) {
  const words = [...command.split(" "), ...args.map(String)];
  process.stdout.write(`  ${one.name}$ nuncio ${words.map((word) => word.replace(`${place}/`, "")).join(" ")}\n`);
  const child = spawn(process.execPath, [NUNCIO, ...words, "--json", "--config", one.at("nuncio.yaml")]);
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (text) => (stdout += text));
  child.stderr.on("data", (text) => (stderr += text));
  const [code] = await once(child, "close");
  for (const { token } of both) if (token !== undefined) assert.ok(!`${stdout}${stderr}`.includes(token));
  // 1 says that the task has failed, which is a result like any other.
  assert.ok(code === 0 || code === 1, `nuncio ${words.join(" ")} ended with ${code}:\n${stderr}`);
  return JSON.parse(stdout);
}

/** Pins and grants are for their owner alone, as `umask 077` would have it. */
function writeOwn(file, document) {
  writeFileSync(file, `${JSON.stringify(document, null, 2)}\n`);
  chmodSync(file, 0o600);
}

async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  await gone;
}

function say(text) {
  process.stdout.write(`\n${text}\n`);
}

function show(text) {
  process.stdout.write(`    → ${text}\n`);
}
