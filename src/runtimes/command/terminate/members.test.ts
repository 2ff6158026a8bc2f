import { describe, expect, it } from "vitest";
import { members } from "./members.js";
import { type ProcessEntry, parsePs } from "./process-table.js";

const entry = (pid: number, parent: number, group: number, facts: Partial<ProcessEntry> = {}): ProcessEntry => ({
  pid,
  parent,
  group,
  started: `start of ${pid}`,
  ended: false,
  marker: null,
  ...facts,
});
const root = { pid: 100, marker: "mine" };
const pids = (table: ProcessEntry[], seen: ProcessEntry[] = []) =>
  members(table, root, new Map(seen.map((one) => [one.pid, one]))).map(({ pid }) => pid);

describe("members of a program's processes", () => {
  it("are its group, its descendants in whatever group, and what carries its marker", () => {
    const table = [
      entry(1, 0, 1),
      entry(50, 1, 50),
      entry(100, 50, 100),
      entry(101, 100, 100),
      entry(102, 101, 102), // left the group
      entry(103, 102, 102),
      entry(104, 1, 104, { marker: "mine" }), // left the tree
      entry(105, 104, 105),
      entry(106, 1, 106, { marker: "another's" }),
      entry(107, 50, 50),
    ];
    expect(pids(table).sort()).toEqual([100, 101, 102, 103, 104, 105]);
  });

  it("are those seen before, also when their parents have ended, unless the number has passed on", () => {
    const before = [entry(102, 101, 102), entry(103, 102, 102)];
    const now = [entry(102, 1, 102), entry(103, 1, 103, { started: "later" }), entry(1, 0, 1)];
    expect(pids(now, before)).toEqual([102]);
  });
});

describe("parsePs", () => {
  it("reads what ps of macOS prints", () => {
    const output =
      "    1     0     1 Ss   Mon Jan  5 09:00:00 2026\n  321     1   321 Z+   Mon Jan  5 09:00:01 2026    \n\n";
    expect(parsePs(output)).toEqual([
      entry(1, 0, 1, { started: "Mon Jan  5 09:00:00 2026" }),
      entry(321, 1, 321, { started: "Mon Jan  5 09:00:01 2026", ended: true }),
    ]);
  });
});
