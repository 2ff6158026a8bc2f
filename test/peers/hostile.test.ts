import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { lookAtRemote } from "../../src/peers/look-at-remote.js";
import type { Reviewed } from "../../src/peers/make-pin.js";
import { reconcile } from "../../src/peers/reconcile.js";
import { artifact, behaves, hostileCard, http, json, result, task } from "../support/peers/hostile-answers.js";
import { drips, ORDERS, SEND_MANNERS, STREAM_MANNERS, TASK_MANNERS } from "../support/peers/hostile-manners.js";
import { HostilePeer } from "../support/peers/hostile-peer.js";
import type { HostileRequest } from "../support/peers/hostile-request.js";
import { PeerHouse } from "../support/peers/peer-house.js";
import { credentialFile, pinOf } from "../support/peers/pinned-peer.js";

let peer: HostilePeer;
let house: PeerHouse;
let card: ReturnType<typeof hostileCard>;
let credential: { file: string; token: string };

beforeAll(async () => {
  peer = await HostilePeer.start(() => "");
  card = hostileCard(peer.origin);
  house = new PeerHouse("reviewer");
  credential = credentialFile(house.folder, "reviewer");
});

beforeEach(() => {
  peer.clear();
  be(behaves);
  pinAnew();
});

let pins = 0;

/** What a test has found out about the peer ends with its pin: no two are the same. */
function pinAnew(rest: Partial<Reviewed> = {}): void {
  pins += 1;
  const pinnedAt = new Date(pins).toISOString();
  house.pin(pinOf("reviewer", { origin: peer.origin, card, ...credential }, { slots: 10, pinnedAt, ...rest }));
}

afterEach(async () => {
  for (const { taskId } of await house.desk.store.holding()) await house.release(taskId);
  expect(house.faults.splice(0)).toEqual([]);
});

afterAll(async () => {
  await house.close();
  await peer.stop();
});

type Answers = HostilePeer["answers"];

/** Its card is what it was; the rest is as it likes. */
function be(answers: Answers): void {
  peer.answers = (request, nth) =>
    request.path === "/.well-known/agent-card.json" ? json(card) : answers(request, nth);
}

/** Long enough for a few looks, in the time of the house. */
const DEADLINE_MS = 2000;

describe("what a peer answers to the work decides what is known, and nothing makes us send it twice", () => {
  const REFUSED: readonly string[] = [
    "refuses by JSON-RPC",
    "does not know the credential",
    "has too much to do",
    "sends elsewhere",
    "is no such endpoint",
  ];
  it.each(Object.entries(SEND_MANNERS))("P10 P16 it %s", async (manner, answers) => {
    be(answers);
    const taskId = await house.begin();
    const { dispatch, child } = await house.settle(taskId);
    const state = REFUSED.includes(manner) ? "refused" : "unknown";
    expect([dispatch.state, child.state, dispatch.remoteTaskId]).toEqual([state, "failed", null]);
    // What was refused is not at work there; of what is unknown nobody can say so.
    expect(dispatch.holdsSlot).toBe(state === "unknown");
    await house.round(taskId);
    expect([peer.calls("SendMessage").length, peer.posts.length, dispatch.sends.length]).toEqual([1, 1, 1]);
    expect(peer.exchanges.filter(({ request }) => request?.path === "/elsewhere")).toEqual([]);
  });
});

describe("what a peer shows of work that it has taken up", () => {
  const waits = { state: "failed", remoteTerminal: null, holdsSlot: true };
  const done = { state: "completed", remoteTerminal: "TASK_STATE_COMPLETED", holdsSlot: false };
  const asks = { state: "waiting", remoteTerminal: null, holdsSlot: true };
  it.each([
    ["answers in another type", done],
    ["answers twice", done],
    ["says each thing twice", done],
    ["shows another task", waits],
    ["shows another context", waits],
    ["has forgotten the task", waits],
    ["refuses to show it", waits],
    ["shows no task", waits],
    ["is in a state of its own", waits],
    ["shows a task without end", waits],
    ["points to files", done],
    ["sends bytes", done],
    ["gives orders", done],
    ["sends elsewhere", waits],
    ["asks for a password", asks],
    ["asks a question", asks],
  ] as const)("P10 P13 P16 it %s", async (manner, { state, remoteTerminal, holdsSlot }) => {
    be(TASK_MANNERS[manner]);
    const { dispatch, child } = await house.run(DEADLINE_MS);
    expect(dispatch).toMatchObject({ state: "accepted", remoteTaskId: "t1", remoteContextId: "c1", holdsSlot });
    expect([child.state, dispatch.facts.remoteTerminal?.state ?? null]).toEqual([state, remoteTerminal]);
    expect(JSON.stringify([dispatch, child])).not.toContain("not yours");
    expect(peer.calls("SendMessage")).toHaveLength(1);
    // Nothing but the card and the endpoint is ever asked for: no file, and no other place.
    const paths = new Set(peer.exchanges.map(({ request }) => request?.path));
    expect([...paths].sort()).toEqual(["/.well-known/agent-card.json", "/a2a"]);
  });

  it("P16 files behind URLs and bytes are left out of the result, and the result says so", async () => {
    be(TASK_MANNERS["points to files"]);
    const { dispatch } = await house.run();
    expect(dispatch.result?.artifacts.flatMap(({ parts }) => parts)).toEqual([]);
    expect(dispatch.result?.leftOut).toHaveLength(1);
  });

  it("P12 E17 text that gives orders is kept as what it is: unverified, and nobody does what it says", async () => {
    be(TASK_MANNERS["gives orders"]);
    const { dispatch, child } = await house.run();
    expect(dispatch.result?.artifacts[0]?.parts).toEqual([{ text: ORDERS }]);
    expect(child.artifacts[0]?.metadata).toMatchObject({ peer: "reviewer", verified: false });
    // The sentence that tells of the end is ours alone; what the peer said stands beside it as data.
    expect(child.statusMessage?.parts[0]).toEqual({ text: expect.not.stringContaining("SYSTEM") });
    expect(child.statusMessage?.parts[1]).toEqual({ data: { peer: "reviewer", said: expect.any(String) } });
  });

  it("P10 P13 a lost task is not replaced by another one, and its end stays open", async () => {
    be(TASK_MANNERS["has forgotten the task"]);
    const { dispatch, child } = await house.run();
    expect(child.state).toBe("failed");
    expect(dispatch.facts).toMatchObject({ remoteTerminal: null, localDeadline: null });
    await house.round(dispatch.taskId);
    expect(peer.calls("SendMessage")).toHaveLength(1);
  });

  it("P13 an end is final: what is shown afterwards changes nothing, and is written down", async () => {
    const { dispatch } = await house.run();
    expect(dispatch.facts.remoteTerminal?.state).toBe("TASK_STATE_COMPLETED");
    be((request) => result(request, task("WORKING", { artifacts: [artifact("second thoughts")] })));
    const { dispatch: after } = await lookAtRemote(house.desk, dispatch, { taskId: "t1", contextId: "c1" });
    const { remoteTerminal } = dispatch.facts;
    expect([after.facts.remoteTerminal, after.result, after.holdsSlot]).toEqual([
      remoteTerminal,
      dispatch.result,
      false,
    ]);
    const kinds = (await house.desk.store.receipts("default", dispatch.taskId)).map(({ kind }) => kind);
    expect(kinds.at(-1)).toBe("late_state");
  });

  it("P15 a result is bound to what it holds: shown under other numbers it is the same", async () => {
    const results = [];
    for (const id of ["a", "b"]) {
      be((request) =>
        request.call?.method === "GetTask"
          ? result(request, task("COMPLETED", { artifacts: [artifact("one", `${id}-1`), artifact("two", `${id}-2`)] }))
          : behaves(request),
      );
      const { dispatch, child } = await house.run();
      results.push([dispatch.result, child.artifacts]);
    }
    expect(results[0]).toEqual(results[1]);
  });
});

describe("a stream", () => {
  it.each(Object.entries(STREAM_MANNERS))("P15 that %s decides nothing: the saved task does", async (_, events) => {
    pinAnew({ supports: { cancel: true, streaming: true } });
    be((request) => {
      if (request.call?.method !== "SubscribeToTask") return behaves(request);
      const said = [{ task: task("WORKING") }, ...events({ taskId: "t1", contextId: "c1" })];
      return streamOf(request, said);
    });
    const { dispatch, child } = await house.run();
    expect([child.state, dispatch.result?.artifacts[0]?.parts]).toEqual(["completed", [{ text: "fine" }]]);
    expect(dispatch.facts.streamClosed).toMatchObject({ closedAt: expect.any(Number), end: expect.any(String) });
    expect([peer.calls("SendMessage").length, peer.calls("SubscribeToTask").length]).toEqual([1, 1]);
    const told = await house.ledger.forTenant("default").events(dispatch.taskId, 0, 1000);
    expect(told.length).toBeLessThan(100);
  });

  it("P13 P15 that tells of an end is only a closed stream while the saved task goes on", async () => {
    pinAnew({ supports: { cancel: true, streaming: true } });
    be((request) => {
      const { method } = request.call ?? {};
      if (method === "GetTask") return result(request, task("WORKING"));
      if (method !== "SubscribeToTask") return behaves(request);
      const events = STREAM_MANNERS["ends in the stream alone"]({ taskId: "t1", contextId: "c1" });
      return streamOf(request, [{ task: task("WORKING") }, ...events]);
    });
    const { dispatch, child } = await house.run(DEADLINE_MS);
    expect([child.state, dispatch.result, child.artifacts]).toEqual(["failed", null, []]);
    expect(dispatch.facts).toMatchObject({
      remoteTerminal: null,
      streamClosed: { end: expect.any(String) },
      localDeadline: { passedAt: expect.any(Number) },
    });
    expect(dispatch.holdsSlot).toBe(true);
  });

  it("P13 P15 that never ends is left at the local deadline: two facts, and neither says that the work has ended", async () => {
    pinAnew({ supports: { cancel: true, streaming: true } });
    be((request) => {
      const { method } = request.call ?? {};
      if (method === "GetTask") return result(request, task("WORKING"));
      return method === "SubscribeToTask" ? goesOn(request) : behaves(request);
    });
    const { dispatch, child } = await house.run(300);
    expect(child.state).toBe("failed");
    expect(dispatch.facts).toMatchObject({
      remoteTerminal: null,
      streamClosed: { end: "left: the time for the work is up" },
      localDeadline: { passedAt: expect.any(Number) },
    });
    expect(dispatch.holdsSlot).toBe(true);
  });
});

/** A stream that has begun, and of which no end is to be seen. */
async function* goesOn({ call }: HostileRequest): AsyncGenerator<string> {
  const event = JSON.stringify({ jsonrpc: "2.0", id: call?.id, result: { task: task("WORKING") } });
  yield `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: ${event}\n\n`;
  await new Promise(() => {});
}

const streamOf = ({ call }: HostileRequest, results: readonly object[]): string =>
  http(
    200,
    { "content-type": "text/event-stream" },
    results.map((one) => `data: ${JSON.stringify({ jsonrpc: "2.0", id: call?.id, result: one })}\n\n`).join(""),
  );

describe("a peer that is not what was pinned", () => {
  it("P4 is stopped when its card changes between two looks, and gets nothing more", async () => {
    let cards = 0;
    peer.answers = (request) => {
      if (request.method !== "GET") {
        return request.call?.method === "GetTask" ? result(request, task("WORKING")) : behaves(request);
      }
      cards += 1;
      return json(cards < 3 ? card : { ...card, description: "it, and more" });
    };
    const { dispatch, child } = await house.run(DEADLINE_MS);
    expect([child.state, dispatch.state, dispatch.facts.remoteTerminal]).toEqual(["failed", "accepted", null]);
    expect(house.registry.get("reviewer")?.state).toMatchObject({
      type: "stopped",
      drift: { differences: [{ what: "card", path: "description", before: '"it"', after: '"it, and more"' }] },
    });
    // One look at what was taken up; then the card had changed.
    expect([peer.calls("SendMessage").length, peer.calls("GetTask").length]).toEqual([1, 1]);

    const before = peer.exchanges.length;
    const second = await house.run();
    expect([second.child.state, second.dispatch.state, peer.exchanges.length]).toEqual(["failed", "prepared", before]);
  });

  it.each([
    ["no card", () => http(404, {})],
    ["a card elsewhere", ({ headers }: HostileRequest) => http(302, { location: `http://${headers.host}/elsewhere` })],
    [
      "a card without end",
      async function* () {
        yield "HTTP/1.1 200 OK\r\n\r\n";
        for (let at = 0; at < 64; at += 1) yield " ".repeat(65_536);
      },
    ],
    ["a card that is none", () => json([])],
    [
      "a card with the same field twice",
      () => http(200, {}, JSON.stringify(card).replace('"name"', '"name":"x","name"')),
    ],
  ] as const)("P2 P4 gets nothing while it has %s", async (_, answer) => {
    peer.answers = (request) => (request.method === "GET" ? answer(request) : behaves(request));
    const { dispatch, child } = await house.run();
    expect([child.state, dispatch.state, peer.posts.length]).toEqual(["failed", "prepared", 0]);
    expect(peer.exchanges.length).toBeGreaterThan(0);
    expect(peer.exchanges.filter(({ request }) => request?.path === "/elsewhere")).toEqual([]);
  });
});

it("P10 P13 a peer that says all but its last byte is left when the operator cancels: unknown, and asked for nothing more", async () => {
  be(drips);
  const taskId = await house.begin();
  const ended = house.settle(taskId);
  await peer.until(() => (peer.posts[0]?.answerBytes ?? 0) > 0);
  await house.cancel(taskId);
  const { child } = await ended;
  expect(child.state).toBe("canceled");
  const dispatch = await house.dispatch(taskId);
  expect([dispatch.state, dispatch.remoteTaskId, dispatch.holdsSlot]).toEqual(["unknown", null, true]);
  const look = { tenant: "default", taskId, runId: dispatch.runId, cancel: true, releaseSlot: false, ended: true };
  await expect(reconcile(house.desk, look)).rejects.toMatchObject({ reason: "REMOTE_UNKNOWN" });
  expect(peer.posts).toHaveLength(1);
}, 30_000);
