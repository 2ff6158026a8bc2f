import { afterAll, beforeAll, expect, it } from "vitest";
import { lookAtRemote } from "../../src/peers/look-at-remote.js";
import type { Pin } from "../../src/peers/pin.js";
import { artifact, behaves, hostileCard, json, result, task } from "../support/peers/hostile-answers.js";
import { type Cut, HostilePeer } from "../support/peers/hostile-peer.js";
import { PeerHouse } from "../support/peers/peer-house.js";
import { credentialFile, pinOf } from "../support/peers/pinned-peer.js";

/*
 * The connection to a peer is cut at every byte: of the card, of the work that it is sent, of what it answers, of the
 * question what has become of it. What the peer has got is counted by the peer.
 */

let peer: HostilePeer;
let house: PeerHouse;
let pin: Pin;
let cuts = 0;

beforeAll(async () => {
  peer = await HostilePeer.start(() => "");
  const card = hostileCard(peer.origin);
  peer.answers = (request) => {
    if (request.method === "GET") return json(card);
    // Done at once: what is asked later has nothing to do with what was cut.
    const done = task("COMPLETED", { artifacts: [artifact("fine")] });
    return request.call?.method === "GetTask" ? result(request, done) : behaves(request);
  };
  house = new PeerHouse("reviewer");
  pin = pinOf("reviewer", { origin: peer.origin, card, ...credentialFile(house.folder, "reviewer") });
  house.pin(pin);
});

afterAll(async () => {
  await house.close();
  await peer.stop();
  process.stdout.write(`${cuts} cuts, and no peer was given its work twice\n`);
});

/** What goes over the wire when nothing is cut, and the task that came of it. */
async function uncut(): Promise<{ taskId: string; bytes: Record<"card" | "send" | "get", Record<Cut["of"], number>> }> {
  peer.clear();
  const taskId = await house.begin();
  await house.settle(taskId);
  const [card] = peer.exchanges;
  const [send, get] = peer.posts;
  const bytes = (of = send) => ({ request: of?.requestBytes ?? 0, answer: of?.answerBytes ?? 0 });
  return { taskId, bytes: { card: bytes(card), send: bytes(send), get: bytes(get) } };
}

/** Every place at which one exchange can be cut, resets and orderly ends in turn; the last is behind its last byte. */
function* everyCut(method: Cut["method"], bytes: Record<Cut["of"], number>): Generator<Cut> {
  for (const of of ["request", "answer"] as const) {
    expect(bytes[of]).toBeGreaterThan(100);
    for (let after = of === "request" ? 1 : 0; after <= bytes[of]; after += 1) {
      cuts += 1;
      yield { method, nth: 0, of, after, how: after % 2 === 0 ? "end" : "reset" };
    }
  }
}

it("P10 R1 cut at every byte of the work and of its answer, a peer has at most one task, and what is unknown is not sent again", async () => {
  const { bytes } = await uncut();
  const states = new Map<string, number>();
  for (const cut of everyCut("POST", bytes.send)) {
    peer.clear();
    peer.cut = cut;
    const taskId = await house.begin();
    const { dispatch, child } = await house.settle(taskId);
    const posts = peer.posts.length;
    // Whatever time passes, and whoever looks: nothing more leaves for it.
    await house.round(taskId);

    const whole = cut.of === "answer" && cut.after === bytes.send.answer;
    const at = JSON.stringify(cut);
    expect(dispatch.sends, at).toHaveLength(1);
    if (dispatch.state === "accepted") {
      expect(whole, at).toBe(true);
      expect([child.state, peer.calls("SendMessage").length, peer.calls("GetTask").length], at).toEqual([
        "completed",
        1,
        1,
      ]);
    } else {
      // It may have arrived, and so it counts as if it had: as neither done nor refused.
      expect(dispatch, at).toMatchObject({ state: "unknown", remoteTaskId: null, holdsSlot: true });
      expect([child.state, posts, peer.posts.length], at).toEqual(["failed", 1, 1]);
      await house.release(taskId);
    }
    states.set(dispatch.state, (states.get(dispatch.state) ?? 0) + 1);
  }
  expect([...states.keys()].sort()).toEqual(["accepted", "unknown"]);
  expect(house.faults).toEqual([]);
});

it("P10 cut at every byte of a peer's card, nothing of the work has left", async () => {
  const { bytes } = await uncut();
  for (const cut of everyCut("GET", bytes.card)) {
    peer.clear();
    peer.cut = cut;
    const whole = cut.of === "answer" && cut.after === bytes.card.answer;
    const opened = await house.desk.open(pin).then(
      () => true,
      () => false,
    );
    expect([opened, peer.posts.length], JSON.stringify(cut)).toEqual([whole, 0]);
  }
});

it("P10 cut at every byte of the question what has become of the work, it stays accepted and is not sent again", async () => {
  const { taskId, bytes } = await uncut();
  const dispatch = await house.dispatch(taskId);
  const known = { taskId: "t1", contextId: "c1" };
  for (const cut of everyCut("POST", bytes.get)) {
    peer.clear();
    peer.cut = cut;
    const whole = cut.of === "answer" && cut.after === bytes.get.answer;
    const seen = await lookAtRemote(house.desk, dispatch, known).then(
      () => true,
      () => false,
    );
    expect([seen, peer.calls("SendMessage").length, peer.posts.length], JSON.stringify(cut)).toEqual([whole, 0, 1]);
  }
  expect((await house.dispatch(taskId)).state).toBe("accepted");
});

it("P10 a connection that is dropped as soon as it stands has carried nothing, or leaves it open what it has", async () => {
  for (const [dropped, states] of [
    // The card: it is read again by the next attempt.
    [1, ["accepted"]],
    [2, ["refused", "unknown"]],
  ] as const) {
    peer.clear();
    peer.dropped = dropped;
    const taskId = await house.begin();
    const { dispatch } = await house.settle(taskId);
    expect(states).toContain(dispatch.state);
    expect(peer.calls("SendMessage")).toHaveLength(dispatch.state === "accepted" ? 1 : 0);
    await house.release(taskId);
  }
});
