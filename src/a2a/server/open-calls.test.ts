import { beforeEach, describe, expect, it } from "vitest";
import type { Authentication, Authenticator } from "../../access/authenticate.js";
import type { Persona } from "../../personas/persona.js";
import { PersonaRegistry } from "../../personas/registry.js";
import { type Admitted, Gate } from "./gate.js";
import { OpenCalls } from "./open-calls.js";

const DESK = { tenant: "default", name: "desk" };
const desk = { ...DESK, visibility: "public" } as Persona;
const LIMITS = { streams: 2, unauthenticatedPerMinute: 100 };

const user = (changes: object = {}): Authentication => ({
  principal: { kind: "user", subject: "user:app", tenant: "acme", scopes: ["runs:execute", "tasks:read"], ...changes },
  keyId: "key-1",
});

describe("open calls", () => {
  let known: Authentication | Promise<Authentication>;
  let personas: PersonaRegistry;
  let gate: Gate;
  let calls: OpenCalls;
  const authenticator = { authenticate: () => known } as unknown as Authenticator;
  beforeEach(() => {
    known = user();
    personas = new PersonaRegistry([desk]);
    const clock = { now: () => 0 };
    gate = new Gate(personas, authenticator, { urlOf: () => undefined, limits: LIMITS, clock });
    calls = new OpenCalls(clock, gate);
  });
  const admitted = () => gate.admit(DESK, "agent:call", { authorization: "Bearer x" }, {}) as Admitted;
  const changed = () => gate.changed({ authenticator, limits: LIMITS });

  it("R6 end with the key that opened them, and none opens that was let in before", () => {
    const entry = admitted();
    const call = calls.open(entry);
    calls.endOfKey("another-key");
    expect(call.aborted).toBe(false);
    calls.endOfKey("key-1");
    expect(call.reason).toMatchObject({ code: "unauthenticated" });
    expect(() => calls.open(entry)).toThrow(expect.objectContaining({ code: "unauthenticated" }));
    expect(calls.size).toBe(1);
  });

  it.each([
    ["another subject", { subject: "user:other" }],
    ["another tenant", { tenant: "other" }],
    ["fewer scopes", { scopes: ["runs:execute"] }],
  ])("R6 end when their credential is good for %s now", (_what, changes) => {
    const call = calls.open(admitted());
    known = user(changes);
    changed();
    calls.decideAgain();
    expect(call.reason).toMatchObject({ code: "unauthenticated" });
  });

  it("R6 go on when nothing about them is different, and when they may do more", () => {
    known = user({ scopes: ["runs:execute"] });
    const call = calls.open(admitted());
    known = user();
    changed();
    calls.decideAgain();
    expect(call.aborted).toBe(false);
  });

  it("R6 end when it cannot be found out whether their credential still counts", async () => {
    const call = calls.open(admitted());
    known = Promise.reject(new Error("the database is gone"));
    changed();
    calls.decideAgain();
    await expect.poll(() => call.reason).toMatchObject({ code: "unauthenticated" });
  });

  it("E4 R6 one that was let in before a change does not open after it when it would not be let in any more", () => {
    const entry = admitted();
    personas.replace([{ ...desk, visibility: "private" }]);
    changed();
    expect(() => calls.open(entry)).toThrow(expect.objectContaining({ code: "not_found" }));
    expect(calls.size).toBe(0);
    personas.replace([desk]);
    changed();
    expect(calls.open(entry).aborted).toBe(false);
  });

  it("E24 are so many for each caller, over all of its keys", () => {
    const first = calls.open(admitted());
    known = { ...user(), keyId: "key-2" } as Authentication;
    calls.open(admitted());
    expect(() => calls.open(admitted())).toThrow(expect.objectContaining({ code: "limit_reached" }));
    known = user({ subject: "user:other" });
    calls.open(admitted());
    calls.close(first);
    known = user();
    calls.open(admitted());
    expect(() => calls.open(admitted())).toThrow(expect.objectContaining({ code: "limit_reached" }));
    expect(calls.size).toBe(3);
  });

  it("end without a reason when the server closes", () => {
    const call = calls.open(admitted());
    calls.endAll();
    expect([call.aborted, call.reason]).toEqual([true, undefined]);
    expect(calls.open(admitted()).aborted).toBe(true);
  });
});
