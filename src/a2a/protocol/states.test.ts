import { describe, expect, it } from "vitest";
import { TASK_STATES, type TaskState, WAIT_REASONS, type WaitReason } from "../../tasks/task-state.js";
import { STATES_V1, standingsOf, stateV1, stateV03 } from "./states.js";

/** state, what it waits for, whether an attempt has run → 1.0, 0.3 */
const TABLE: [TaskState, WaitReason | null, boolean, string, string][] = [
  ["pending", null, false, "TASK_STATE_SUBMITTED", "submitted"],
  ["claimed", null, false, "TASK_STATE_SUBMITTED", "submitted"],
  ["pending", null, true, "TASK_STATE_WORKING", "working"],
  ["claimed", null, true, "TASK_STATE_WORKING", "working"],
  ["processing", null, true, "TASK_STATE_WORKING", "working"],
  ["waiting", "input", true, "TASK_STATE_INPUT_REQUIRED", "input-required"],
  ["waiting", "auth", true, "TASK_STATE_AUTH_REQUIRED", "auth-required"],
  ["waiting", "approval", true, "TASK_STATE_WORKING", "working"],
  ["waiting", "reply", true, "TASK_STATE_WORKING", "working"],
  ["completed", null, true, "TASK_STATE_COMPLETED", "completed"],
  ["failed", null, true, "TASK_STATE_FAILED", "failed"],
  ["canceled", null, false, "TASK_STATE_CANCELED", "canceled"],
  ["rejected", null, true, "TASK_STATE_REJECTED", "rejected"],
];

describe("states on the wire", () => {
  it.each(TABLE)("E8 %s, waiting for %s, started %s: %s and %s", (state, waitingFor, started, v1, v03) => {
    expect(stateV1({ state, waitingFor, started })).toBe(v1);
    expect(stateV03({ state, waitingFor, started })).toBe(v03);
  });

  it.each(TABLE)(
    "E20 lists find %s, waiting for %s, started %s by that state alone",
    (state, waitingFor, started, v1) => {
      const standing = { state, waitingFor, started };
      const found = STATES_V1.filter((asked) => standingsOf(asked).some((each) => same(each, standing)));
      expect(found).toEqual([v1]);
    },
  );

  it("the table above leaves none out", () => {
    expect(new Set(TABLE.map(([state]) => state))).toEqual(new Set(TASK_STATES));
    expect(new Set(TABLE.flatMap(([, reason]) => reason ?? []))).toEqual(new Set(WAIT_REASONS));
  });
});

const same = (a: object, b: object): boolean => JSON.stringify(a) === JSON.stringify(b);
