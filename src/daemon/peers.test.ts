import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { credentialFile, operatorFolder, pinOf } from "../../test/support/peers/pinned-peer.js";
import { credentialDigest } from "../access/credentials/credential-file.js";
import type { PeerStore } from "../peers/peer-store.js";
import type { Pin } from "../peers/pin.js";
import type { Grant } from "../plans/grant.js";
import { escapeDangerous } from "../shared/dangerous-characters.js";
import { createLogger } from "../telemetry/logger.js";
import { composePeers, type PeersParts } from "./peers.js";

const ORIGIN = "https://reviewer.example";
const CARD = {
  name: "Reviewer",
  supportedInterfaces: [{ url: `${ORIGIN}/a2a`, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
  skills: [{ id: "review" }],
};

let folder: ReturnType<typeof operatorFolder>;
let token: string;
let pin: Pin;
let grants: Partial<Grant>[];
const logger = createLogger("silent", escapeDangerous);
const outbound = vi.fn<PeersParts["outbound"]>().mockRejectedValue(new Error("nobody is to be reached"));

beforeEach(() => {
  folder = operatorFolder();
  const made = credentialFile(folder.path, "reviewer");
  token = made.token;
  pin = pinOf("reviewer", { origin: ORIGIN, card: CARD, ...made });
  grants = [];
  register([pin]);
});
afterEach(() => folder.remove());

const at = (name: string) => join(folder.path, name);
const register = (peers: unknown[]) =>
  writeFileSync(at("registry.json"), JSON.stringify({ schema: 1, peers }), { mode: 0o600 });
const peers = () =>
  composePeers({
    ...{ file: at("registry.json"), dataDir: at("data"), store: {} as PeerStore, outbound, logger },
    sealer: { seal: (text) => text, open: (text) => text },
    clock: { now: () => 1000 },
    grants: async () => grants as Grant[],
  });
const started = async () => {
  const composed = peers();
  await composed.load();
  return composed;
};
const drift = { differences: [{ what: "card" as const, path: "name", before: '"a"', after: '"b"' }], leftOut: 0 };

it("P5 the registry is taken at the start, and nobody is spoken to; planned tasks go by its pins", async () => {
  const { desk, peerOf, credentialFiles } = await started();
  expect(desk.registry.list()).toMatchObject([{ pin, state: { type: "ok" }, seenAt: null }]);
  expect(peerOf("reviewer")).toEqual({ pinDigest: desk.registry.get("reviewer")?.pinDigest, slots: 1 });
  expect([peerOf("other"), credentialFiles()]).toEqual([undefined, [pin.credentialFile]]);
  expect(outbound).not.toHaveBeenCalled();
});

it("P5 a registry with a fault in it changes nothing", async () => {
  const composed = await started();
  register([{ ...pin, slots: 5 }, "REPLACE_WITH_THE_REVIEWED_PIN_OBJECT"]);
  await expect(composed.prepare()).rejects.toThrow(`${at("registry.json")} cannot be taken: peers[1] must be a pin`);
  register([pin]);
  chmodSync(at("registry.json"), 0o604);
  await expect(composed.prepare()).rejects.toThrow("has mode 0604");
  rmSync(at("registry.json"));
  await expect(composed.prepare()).rejects.toMatchObject({ hint: expect.stringContaining("umask 077; echo") });
  register([pin]);
  rmSync(pin.credentialFile);
  await expect(composed.prepare()).rejects.toMatchObject({
    message: `${pin.credentialFile} does not exist`,
    hint: `nuncio a2a credential reviewer --file ${pin.credentialFile}`,
  });
  expect(composed.desk.registry.get("reviewer")).toMatchObject({ pin: { slots: 1 }, state: { type: "ok" } });
});

it.each<[string, Partial<Grant>, boolean]>([
  ["an open grant", { expiresAt: 2000 }, true],
  ["a spent one, whose peer may still look", { expiresAt: 2000, spent: {} as Grant["spent"] }, true],
  ["one that was revoked", { expiresAt: 2000, revokedAt: 500 }, false],
  ["one that is over", { expiresAt: 900 }, false],
])("P1 a credential serves one peer or grant: it is also that of %s", async (_what, grant, refused) => {
  const whole = { id: "g1", peer: "partner", credentialDigest: credentialDigest(token), spent: null, revokedAt: null };
  grants = [{ ...whole, ...grant }];
  const loading = peers().load();
  if (!refused) return expect(loading).resolves.toBeUndefined();
  await expect(loading).rejects.toThrow("the credential of reviewer lets partner in by the grant g1, too");
});

it("P4 a peer that was stopped is so after a restart, until it is pinned anew", async () => {
  const first = await started();
  const { pinDigest } = first.desk.registry.get("reviewer") as { pinDigest: string };
  first.desk.registry.stop(pinDigest, drift, 1234);
  const second = await started();
  expect(second.desk.registry.get("reviewer")?.state).toEqual({ type: "stopped", since: 1234, drift });
  await second.check("reviewer");
  expect(outbound).not.toHaveBeenCalled();
  register([{ ...pin, pinnedAt: new Date(5).toISOString() }]);
  (await second.prepare())();
  expect(second.desk.registry.get("reviewer")?.state).toEqual({ type: "ok" });
  expect(JSON.parse(readFileSync(at("data/peers/stopped.json"), "utf8"))).toEqual({ schema: 1, stopped: [] });
  expect((await started()).desk.registry.get("reviewer")?.state).toEqual({ type: "ok" });
});

it("P4 what says who is stopped is not taken from somebody else", async () => {
  const { desk } = await started();
  desk.registry.stop(desk.registry.get("reviewer")?.pinDigest ?? "", drift, 1);
  writeFileSync(at("data/peers/stopped.json"), "{}");
  await expect(started()).rejects.toThrow("does not tell which peers are stopped");
  chmodSync(at("data/peers/stopped.json"), 0o644);
  await expect(started()).rejects.toThrow("has mode 0644");
});

it("P4 a credential that is another than was pinned stops its peer at the start, and is shown to nobody", async () => {
  rmSync(pin.credentialFile);
  credentialFile(folder.path, "reviewer");
  const { desk, check } = await started();
  const { state } = desk.registry.get("reviewer") as { state: unknown };
  expect(state).toMatchObject({ type: "stopped", drift: { differences: [{ what: "credential" }] } });
  await check("reviewer");
  expect(outbound).not.toHaveBeenCalled();
});
