import { describe, expect, it } from "vitest";
import type { Message } from "../tasks/message.js";
import type { TaskSnapshot } from "../tasks/task.js";
import { replyText } from "./reply-text.js";
import { asSeenByTools, type TaskStatusView } from "./task-status-view.js";

const said = (text: string): Message => ({ messageId: "s", role: "agent", parts: [{ text }] });
const artifact = (text: string) => ({ artifactId: "result", parts: [{ text }] });

type Seen = Parameters<typeof asSeenByTools>[0];
const BASE: Seen = { state: "pending", waitingFor: null, started: false, artifacts: [], statusMessage: null };

const TABLE: [string, Partial<Seen>, TaskStatusView][] = [
  ["pending, never run", {}, { status: "pending" }],
  ["claimed, never run", { state: "claimed" }, { status: "claimed" }],
  ["pending again after an attempt", { started: true }, { status: "processing" }],
  ["claimed again after an attempt", { state: "claimed", started: true }, { status: "processing" }],
  ["processing", { state: "processing", started: true, statusMessage: said("at it") }, { status: "processing" }],
  ["waiting for a reply", { state: "waiting", waitingFor: "reply", started: true }, { status: "processing" }],
  ["waiting for an approval", { state: "waiting", waitingFor: "approval", started: true }, { status: "processing" }],
  [
    "waiting for input",
    { state: "waiting", waitingFor: "input", started: true, statusMessage: said("which year?") },
    { status: "processing", waiting_for: "input", asks: "which year?" },
  ],
  [
    "waiting for credentials",
    { state: "waiting", waitingFor: "auth", started: true, statusMessage: said("log in") },
    { status: "processing", waiting_for: "auth", asks: "log in" },
  ],
  ["completed", { state: "completed", artifacts: [artifact("42")] }, { status: "completed", reply: "42" }],
  [
    "completed with a message",
    { state: "completed", statusMessage: said("done") },
    { status: "completed", reply: "done" },
  ],
  ["failed", { state: "failed", statusMessage: said("no disk") }, { status: "failed", error: "no disk" }],
  ["failed, nothing said", { state: "failed" }, { status: "failed", error: "failed without a reason" }],
  ["rejected", { state: "rejected", statusMessage: said("not me") }, { status: "failed", error: "rejected: not me" }],
  ["canceled", { state: "canceled", statusMessage: said("by op") }, { status: "failed", error: "canceled: by op" }],
];

describe("a task as host tools see it", () => {
  it.each(TABLE)("D7 %s", (_name, task, seen) => {
    expect(asSeenByTools({ ...BASE, ...task })).toEqual(seen);
  });
});

describe("the text of a reply", () => {
  it("is all artifacts in order; data as JSON, files by name", () => {
    const artifacts: TaskSnapshot["artifacts"] = [
      { artifactId: "a", parts: [{ text: "one" }, { data: { n: 1 } }] },
      { artifactId: "b", parts: [{ raw: "AAAA", filename: "x.png", mediaType: "image/png" }, { url: "https://h/y" }] },
    ];
    expect(replyText({ artifacts, statusMessage: said("ignored") })).toBe(
      'one\n{"n":1}\n[file x.png, image/png]\n[file https://h/y]',
    );
  });

  it("is bounded", () => {
    expect(replyText({ artifacts: [artifact("x".repeat(2 ** 21))], statusMessage: null })).toHaveLength(2 ** 20);
  });
});
