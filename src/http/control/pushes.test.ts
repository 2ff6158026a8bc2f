import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ControlHouse, scripted, startControl } from "../../../test/support/control-house.js";
import { sealTarget } from "../../a2a/server/push/target.js";
import { keyIdOf } from "../../access/sealing/sealed-text.js";

const SECRET = "a-secret";
const URL = `https://hooks.example/a?key=${SECRET}`;

let house: ControlHouse;
let taskId: string;
beforeEach(async () => {
  house = await startControl([scripted("stuck", [{ steps: [{ hang: true }] }])]);
  taskId = (await house.client.send({ persona: "stuck", text: "x" })).id;
});
afterEach(async () => {
  expect(house.faults).toEqual([]);
  await house.stop();
});

async function subscribe(id: string) {
  const key = { tenant: "default", taskId, id };
  const target = { url: URL, token: SECRET, schemes: ["Bearer"], credentials: SECRET };
  const push = {
    id,
    version: "1.0" as const,
    origin: "https://hooks.example",
    sealed: sealTarget(house.sealing.sealer, key, target),
  };
  return house.ledger.forTenant("default").push.set({ taskId, push, atMost: 10, now: Date.now() });
}

async function failOnce(id: string) {
  const { push } = house.ledger.system;
  const key = { tenant: "default", taskId, id };
  const { sentSeq } = (await push.find(key)) ?? { sentSeq: 0 };
  const now = Date.now();
  const lease = await push.claim({ ...key, sentSeq, owner: "x", leaseMs: 1000, now, longestBackoffMs: 60_000 });
  if (lease === null) throw new Error("it should be claimable");
  await push.failed({ lease, error: "it answered 500", status: 500, retryAt: now + 60_000, disable: false, now });
}

describe("push notifications, for the operator", () => {
  it("E23 are listed with what became of them, and without what is secret", async () => {
    await subscribe("a");
    await subscribe("b");
    await failOnce("b");
    const { pushes } = await house.client.pushes();
    expect(pushes.map(({ id }) => id)).toEqual(["b", "a"]);
    expect(pushes[0]).toMatchObject({
      ...{ taskId, tenant: "default", principal: "operator", version: "1.0", state: "waiting", attempts: 1 },
      ...{ url: "https://hooks.example/a?…", lastStatus: 500, lastError: "it answered 500" },
      nextAt: expect.any(String),
    });
    expect(pushes[1]).toMatchObject({ attempts: 0, nextAt: null, lastError: null });
    expect(JSON.stringify(pushes)).not.toContain(SECRET);
    expect((await house.client.pushes({ failing: true })).pushes.map(({ id }) => id)).toEqual(["b"]);
    const page = await house.client.pushes({ limit: 1 });
    const rest = await house.client.pushes({ limit: 1, cursor: page.nextCursor ?? "" });
    expect(rest).toMatchObject({ pushes: [{ id: "a" }], nextCursor: null });
    await expect(house.client.pushes({ state: "lost" })).rejects.toMatchObject({ field: "state" });
  });

  it("E23 are disabled, and enabled and due again, one by one or all of a task", async () => {
    await subscribe("a");
    await subscribe("b");
    const [off] = (await house.client.disablePush(taskId, "a", "too noisy")).pushes;
    expect(off).toMatchObject({ id: "a", state: "disabled", lastError: "too noisy" });
    expect((await house.client.pushes({ state: "disabled" })).pushes).toHaveLength(1);
    await failOnce("b");
    const { pushes } = await house.client.retryPush(taskId);
    expect(pushes.map(({ id, state, attempts, nextAt }) => [id, state, attempts, nextAt])).toEqual([
      ["a", "waiting", 0, null],
      ["b", "waiting", 0, null],
    ]);
    await expect(house.client.retryPush(taskId, "c")).rejects.toMatchObject({ code: "not_found" });
    await expect(house.client.retryPush("none")).rejects.toMatchObject({ code: "not_found" });
  });

  it("E23 of which all was told, nothing is left to decide", async () => {
    const made = await subscribe("a");
    const { push } = house.ledger.system;
    const now = Date.now();
    await house.client.cancel(taskId);
    const claim = { ...made, owner: "x", leaseMs: 1000, now, longestBackoffMs: 1000 };
    const lease = await push.claim(claim);
    const { seq } = await house.client.task(taskId);
    if (lease !== null) await push.delivered({ lease, seq, status: 200, release: true, leaseMs: 1000, now });
    await expect(house.client.retryPush(taskId)).rejects.toMatchObject({ code: "failed_precondition" });
  });

  it("X13 everything sealed is sealed with a new key, and can still be opened", async () => {
    const before = await subscribe("a");
    const rotated = await house.client.rotateSealing();
    const after = await house.ledger.system.push.find(before);
    expect(rotated).toMatchObject({ resealed: 1, unreadable: 0, dropped: [keyIdOf(before.sealed)] });
    expect(keyIdOf(after?.sealed ?? "")).toBe(rotated.key);
    expect((await house.client.pushes()).pushes[0]?.url).toBe("https://hooks.example/a?…");
  });

  it("X13 where the key is missing only the host is shown", async () => {
    const made = await subscribe("a");
    const { ring } = house.sealing;
    ring.renew();
    ring.drop([keyIdOf(made.sealed) ?? ""]);
    expect((await house.client.pushes()).pushes[0]?.url).toBe("https://hooks.example");
  });
});
