import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { Reviewed } from "../../src/peers/make-pin.js";
import { startDaemon, type TestDaemon } from "../support/daemon/start-daemon.js";
import { credentialFile, operatorFolder, pinOf } from "../support/peers/pinned-peer.js";
import { StallingPeer } from "../support/peers/stalling-peer.js";
import { runCli } from "../support/run-cli.js";
import { canary } from "../support/secrets/planted.js";

const PLAN = `
schema: 1
title: look at it
steps: [{ id: read, instruction: "read src/app.ts", files: [notes.txt] }]
checks: [{ name: green, command: "true" }]
limits: { invocations: 100, token_units: null }
`;
const FILES: Record<string, string> = {
  "src/app.ts": "export const answer = 42;\n",
  "notes.txt": "nobody's business",
};
const DONE = {
  state: "TASK_STATE_COMPLETED",
  said: "done",
  artifacts: [{ artifactId: "x", name: "report", parts: [{ text: "all well" }] }],
};

it("P6 P9 P11 a peer is sent exactly the instruction, the profile and the pinned files, and its saved task is the result", async () => {
  const { daemon, peer, run } = await house();
  const child = await run();
  await peer.until("GetTask");
  peer.task = DONE;
  await ended(daemon, child);

  expect(peer.calls.every(({ authorized }) => authorized)).toBe(true);
  expect(peer.sent).toHaveLength(1);
  const { message, ...rest } = { ...peer.sent[0]?.params };
  expect(rest).toEqual({ configuration: { returnImmediately: true } });
  const profile = "Look at it.";
  expect(message).toEqual({
    messageId: expect.any(String),
    role: "ROLE_USER",
    parts: [
      { text: "read src/app.ts" },
      { text: profile },
      { text: FILES["src/app.ts"], filename: "src/app.ts", mediaType: "text/plain" },
    ],
    metadata: { "https://nuncio.dev/extensions/delegation/v1": { hop: 1, skill: "review" } },
    extensions: ["https://nuncio.dev/extensions/delegation/v1"],
  });
  const known = await daemon.client.dispatch(child);
  const digest = `sha256:${createHash("sha256")
    .update(FILES["src/app.ts"] as string)
    .digest("hex")}`;
  expect(known).toMatchObject({
    ...{ state: "accepted", remoteTaskId: "remote-1", taskState: "completed", holdsSlot: false, invocations: 1 },
    usage: { modelRequests: "unobserved", tokens: "unobserved", processes: "unobserved" },
    facts: {
      remoteTerminal: { state: "TASK_STATE_COMPLETED" },
      localCleanup: { at: expect.any(String) },
      ...{ cancelAcknowledgement: null, streamClosed: null, localDeadline: null },
    },
    result: { verified: false, message: "done", leftOut: [], artifacts: [{ name: "report", bytes: 21 }] },
  });
  expect(known.sends[0]?.disclosed).toEqual([{ path: "src/app.ts", digest, bytes: 26 }]);
  const kinds = ["prepared", "intended", "accepted", "remote_state", "remote_ended", "local_ended"];
  expect(known.receipts.map(({ number, kind }) => [number, kind])).toEqual(kinds.map((kind, at) => [at + 1, kind]));
  const task = await daemon.client.task(child);
  expect(task.artifacts).toMatchObject([
    { name: "report", parts: [{ text: "all well" }], metadata: { verified: false } },
  ]);

  // Where it answers with a message alone, that is all there is: nothing can be looked at.
  peer.message = "nothing to say";
  const spoken = await run();
  expect(await ended(daemon, spoken)).toMatchObject({
    state: "completed",
    artifacts: [{ name: "answer", parts: [{ text: "nothing to say" }], metadata: { verified: false } }],
  });
  expect(await daemon.client.dispatch(spoken)).toMatchObject({
    state: "accepted",
    remoteTaskId: null,
    holdsSlot: false,
  });

  const shown = await runCli(["a2a", "inspect", child, "--config", daemon.configFile]);
  for (const words of ["src/app.ts", digest, "cancel acknowledgement", "unobserved", "unverified analysis"]) {
    expect(shown.stdout).toContain(words);
  }
  const agents = await daemon.client.personas();
  expect(JSON.stringify(agents)).not.toContain("peer:");
  await expect(daemon.client.send({ persona: "peer:reviewer", text: "hello" })).rejects.toThrow();
  expect((await fetch(`${daemon.url}/v1/agents/peer:reviewer/a2a`, { method: "POST", body: "{}" })).status).toBe(404);
});

it("P10 P14 killed at any step around intent, send and answer, a daemon sends nothing a second time", async () => {
  const { daemon, peer, run, release } = await house({ invocations: 9 });
  const killedAt = async (step: string, child: string, seen: number) => {
    await peer.until(step, seen + 1);
    await daemon.kill("SIGKILL");
    peer.stalls = null;
    await daemon.restart();
    return child;
  };
  const seen = (method: string) => peer.calls.filter((call) => call.method === method).length;

  // Before the intent nothing has left, and the work is done as if nothing had happened.
  peer.stalls = "card";
  let before = seen("card");
  let child = await killedAt("card", await run(), before);
  await peer.until("GetTask");
  expect(peer.sent).toHaveLength(1);
  peer.task = DONE;
  expect((await ended(daemon, child)).state).toBe("completed");

  // Behind it nobody knows.
  Object.assign(peer, { stalls: "SendMessage", task: { state: "TASK_STATE_WORKING" } });
  before = seen("SendMessage");
  child = await killedAt("SendMessage", await run(), before);
  expect((await ended(daemon, child)).state).toBe("failed");
  expect(await daemon.client.dispatch(child)).toMatchObject({ state: "unknown", holdsSlot: true, remoteTaskId: null });
  expect(peer.sent).toHaveLength(2);
  const { runId } = await daemon.client.dispatch(child);
  await expect(run()).rejects.toMatchObject({ reason: "PEER_BUSY" });
  await expect(daemon.client.reconcile(child, { runId })).rejects.toMatchObject({ reason: "REMOTE_UNKNOWN" });
  await release(child);

  // What was taken up is followed by whoever comes next.
  peer.stalls = "GetTask";
  before = seen("GetTask");
  child = await killedAt("GetTask", await run(), before);
  peer.task = { state: "TASK_STATE_INPUT_REQUIRED", said: "which branch?" };
  const asking = await until(daemon, child, ({ waitingFor }) => waitingFor === "input");
  expect(JSON.stringify(asking.statusMessage)).toContain("which branch?");
  expect(peer.sent).toHaveLength(3);

  // An answer is a message like the first.
  await expect(daemon.client.answer(child, "main")).rejects.toMatchObject({ reason: "TASK_OF_PEER" });
  const { revision } = await daemon.client.dispatch(child);
  const stale = daemon.client.answerPeer(child, { text: "main", revision: revision - 1 });
  await expect(stale).rejects.toMatchObject({ code: "conflict" });
  Object.assign(peer, { stalls: "SendMessage" });
  before = seen("SendMessage");
  await daemon.client.answerPeer(child, { text: "main", revision });
  await killedAt("SendMessage", child, before);
  expect((await ended(daemon, child)).state).toBe("failed");
  const known = await daemon.client.dispatch(child);
  expect(known).toMatchObject({ state: "unknown", remoteTaskId: "remote-1", invocations: 2, holdsSlot: true });
  expect(peer.sent).toHaveLength(4);
  expect(peer.sent[3]?.params.message).toMatchObject({
    taskId: "remote-1",
    contextId: "remote-c",
    parts: [{ text: "main" }],
  });
  const ids = peer.sent.map(({ params }) => params.message?.messageId);
  expect(new Set(ids).size).toBe(4);

  // Its known task can be looked at, and its end frees the slot.
  peer.task = DONE;
  const wrong = daemon.client.reconcile(child, { runId: "another" });
  await expect(wrong).rejects.toMatchObject({ code: "conflict", reason: "RUN_ID_MISMATCH" });
  const looked = await daemon.client.reconcile(child, { runId: known.runId });
  expect(looked).toMatchObject({
    state: "unknown",
    taskState: "failed",
    holdsSlot: false,
    result: { message: "done" },
  });
  expect(peer.sent).toHaveLength(4);
});

it("P14 the operator's answer goes out once, by a command that names what was looked at", async () => {
  const { daemon, peer, run, directory } = await house({ invocations: 2 });
  peer.task = { state: "TASK_STATE_AUTH_REQUIRED", said: "log in at http://127.0.0.1:9/" };
  const child = await run();
  const asking = await until(daemon, child, ({ waitingFor }) => waitingFor === "auth");
  expect(asking.why).toContain(`nuncio a2a answer ${child}`);
  const { revision } = await daemon.client.dispatch(child);
  const file = join(directory, "answer.txt");
  writeFileSync(file, "use the public mirror");
  peer.task = DONE;
  const cli = [
    "a2a",
    "answer",
    child,
    "--message",
    file,
    "--revision",
    String(revision),
    "--config",
    daemon.configFile,
  ];
  expect((await runCli([...cli, "--json"])).json()).toMatchObject({ revision: revision + 1 });
  expect((await ended(daemon, child)).state).toBe("completed");
  expect((await runCli(cli)).code).not.toBe(0);
  expect(peer.sent.map(({ params }) => params.message?.parts.map(({ text }) => text))).toEqual([
    ["read src/app.ts", "Look at it.", FILES["src/app.ts"]],
    ["use the public mirror"],
  ]);
  expect((await daemon.client.dispatch(child)).invocations).toBe(2);
});

it("P13 a cancel is asked for once where it was pinned, and only a remote end frees the slot", async () => {
  const { daemon, peer, run, repin } = await house();
  const first = await run();
  await peer.until("GetTask");
  peer.refuses = "CancelTask";
  await daemon.client.cancel(first);
  await peer.until("CancelTask");
  const refused = await untilDispatch(daemon, first, ({ facts }) => facts.cancelAcknowledgement?.answeredAt != null);
  expect(refused.facts).toMatchObject({ remoteTerminal: null, localCleanup: {}, cancelAcknowledgement: {} });
  expect(refused.facts.cancelAcknowledgement?.answer).toContain("not offered");
  expect(refused).toMatchObject({ taskState: "canceled", holdsSlot: true });
  expect((await daemon.client.task(first)).why).toContain("still takes a slot of the peer");
  await expect(run()).rejects.toMatchObject({ reason: "PEER_BUSY" });
  // The daemon's own slots have nothing to do with it.
  expect(await daemon.client.send({ persona: "echo", text: "hello" })).toMatchObject({ persona: "echo" });

  // Where it was not pinned nobody is asked.
  peer.task = { state: "TASK_STATE_WORKING" };
  await repin({ supports: { cancel: false, streaming: false } });
  const { runId } = refused;
  await expect(daemon.client.reconcile(first, { runId, cancel: true })).rejects.toMatchObject({
    reason: "CANCEL_NOT_PINNED",
  });
  const free = await daemon.client.reconcile(first, { runId, releaseSlot: true });
  expect(free).toMatchObject({ holdsSlot: false, facts: { remoteTerminal: null } });
  const second = await run({ deadlineSeconds: 1 });
  expect((await ended(daemon, second)).state).toBe("failed");
  const late = await daemon.client.dispatch(second);
  expect(late).toMatchObject({ holdsSlot: true, facts: { remoteTerminal: null, cancelAcknowledgement: null } });
  expect(late.facts.localDeadline?.passedAt).not.toBeNull();
  expect(peer.calls.filter(({ method }) => method === "CancelTask")).toHaveLength(1);
  expect(peer.sent).toHaveLength(2);
});

it("P4 P6 P9 what differs from the pin, or cannot be disclosed, is sent nothing and costs nothing", async () => {
  const { daemon, peer, run, repin, used } = await house();
  await repin({ files: ["src/app.ts", "blob.bin"] });
  const binary = await run();
  expect(textOf(await ended(daemon, binary))).toContain("not UTF-8 text");
  await repin({ files: ["missing.ts"] });
  const missing = await run();
  expect(textOf(await ended(daemon, missing))).toContain("missing.ts");
  await repin({});
  peer.card = () => ({ ...StallingPeer.prototype.card.call(peer), description: "does anything" });
  const drifted = await run();
  expect(textOf(await ended(daemon, drifted))).toContain("not what was pinned");
  // The pin in force is another one again, so that the peer is not taken for stopped.
  await repin({ slots: 2 });
  await peer.close();
  const unreachable = await run();
  expect(textOf(await ended(daemon, unreachable))).toContain("nothing was sent");
  await expect(daemon.client.retryDeadLetter(unreachable)).rejects.toMatchObject({ reason: "TASK_OF_PEER" });
  for (const child of [binary, missing, drifted, unreachable]) {
    const known = await untilDispatch(daemon, child, ({ facts }) => facts.localCleanup !== null);
    expect(known).toMatchObject({ state: "prepared", invocations: 0, holdsSlot: false });
  }
  expect(peer.sent).toEqual([]);
  expect(await used()).toBe(0);
});

type Detail = Awaited<ReturnType<TestDaemon["client"]["task"]>>;
type Known = Awaited<ReturnType<TestDaemon["client"]["dispatch"]>>;

/** A daemon with one peer, and a planned task for it. */
async function house({ invocations = 5 }: { invocations?: number } = {}) {
  const operator = operatorFolder();
  onTestFinished(() => operator.remove());
  const { file, token } = credentialFile(operator.path, "reviewer");
  const peer = new StallingPeer(token);
  await peer.listen();
  onTestFinished(() => peer.close());
  const card = peer.card();
  const registry = join(operator.path, "registry.json");
  const writePin = (rest: Partial<Reviewed>) => {
    const pin = pinOf("reviewer", { origin: peer.origin, card, file, token }, { files: ["src/app.ts"], ...rest });
    writeFileSync(registry, JSON.stringify({ schema: 1, peers: [pin] }));
    chmodSync(registry, 0o600);
  };
  writePin({});
  const workspace = join(operator.path, "workspace");
  for (const [path, text] of Object.entries({ ...FILES, "other.txt": canary("another file") })) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), text);
  }
  writeFileSync(join(workspace, "blob.bin"), Buffer.from([0xff, 0xfe, 0x00]));
  const daemon = await startDaemon(
    {
      queue: { backoffBaseMs: 10, backoffMaxMs: 20 },
      personas: [{ name: "echo", runtime: "scripted", script: [] }],
      profiles: [{ name: "own/look", kind: "analysis", text: "Look at it." }],
    },
    { args: ["--a2a-config", registry] },
  );
  const { id } = await daemon.client.createPlannedTask({ plan: PLAN, workspace });
  // What is changed later is not what was admitted.
  writeFileSync(join(workspace, "src/app.ts"), canary("the live tree"));
  const revision = async () => (await daemon.client.plannedTask(id)).revision;
  return {
    ...{ daemon, peer, directory: operator.path },
    async run(options: { deadlineSeconds?: number } = {}): Promise<string> {
      const assigned = await daemon.client.assignStep(id, {
        ...{ step: "read", profile: "own/look", runtime: "reviewer", invocations, revision: await revision() },
      });
      const { assignmentId } = assigned;
      const run = { generation: 0, revision: assigned.revision, ...options };
      return (await daemon.client.runAssignment(id, assignmentId, run)).childId;
    },
    async repin(rest: Partial<Reviewed>) {
      writePin(rest);
      await daemon.client.reload();
    },
    async release(child: string) {
      const { runId } = await daemon.client.dispatch(child);
      await daemon.client.reconcile(child, { runId, releaseSlot: true });
    },
    used: async () => (await daemon.client.plannedTask(id)).invocations.used,
  };
}

/** Follows the task until it is so. */
async function until(daemon: TestDaemon, id: string, isIt: (task: Detail) => boolean): Promise<Detail> {
  for (let task = await daemon.client.task(id); ; task = await daemon.client.task(id)) {
    if (isIt(task)) return task;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const ended = (daemon: TestDaemon, id: string): Promise<Detail> =>
  until(daemon, id, ({ state }) => ["completed", "failed", "canceled", "rejected"].includes(state));

/** What follows the end of a task is written behind it. */
async function untilDispatch(daemon: TestDaemon, id: string, isIt: (known: Known) => boolean): Promise<Known> {
  for (let known = await daemon.client.dispatch(id); ; known = await daemon.client.dispatch(id)) {
    if (isIt(known)) return known;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const textOf = ({ statusMessage }: Detail): string => JSON.stringify(statusMessage?.parts);
