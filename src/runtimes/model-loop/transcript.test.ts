import { describe, expect, it } from "vitest";
import type { ModelTurn } from "./model-turn.js";
import { toolCallId } from "./model-turn.js";
import { assistantMessage, toolMessage, userMessage, writtenText } from "./transcript.js";

const turn = (...content: ModelTurn["content"]): ModelTurn => ({
  content,
  finish: "stop",
  inputTokens: 0,
  outputTokens: 0,
});

describe("the transcript", () => {
  it("shows an answer as the model gave it, with what its provider wants back", () => {
    const signature = { anthropic: { signature: "abc" } };
    const answer = turn(
      { type: "reasoning", text: "hm", providerOptions: signature },
      { type: "text", text: "Let me look." },
      { type: "tool-call", id: "t00010001", name: "look", input: { q: "a" } },
    );
    expect(assistantMessage(answer)).toEqual({
      role: "assistant",
      content: [
        { type: "reasoning", text: "hm", providerOptions: signature },
        { type: "text", text: "Let me look." },
        { type: "tool-call", toolCallId: "t00010001", toolName: "look", input: { q: "a" } },
      ],
    });
  });

  it("leaves out blank text, which providers refuse", () => {
    expect(assistantMessage(turn({ type: "text", text: "\n\n" }))).toBeNull();
    expect(userMessage(" ")).toEqual({ role: "user", content: "(an empty message)" });
  });

  it("gives each call its own result, errors as errors", () => {
    const calls = ["a", "b"].map((name, at) => ({
      type: "tool-call" as const,
      id: toolCallId(1, at + 1),
      name,
      input: {},
    }));
    const results = [
      { text: "seen", isError: false },
      { text: "no", isError: true },
    ];
    expect(toolMessage(calls, results).content).toEqual([
      { type: "tool-result", toolCallId: "t00010001", toolName: "a", output: { type: "text", value: "seen" } },
      { type: "tool-result", toolCallId: "t00010002", toolName: "b", output: { type: "error-text", value: "no" } },
    ]);
  });

  it("joins the texts of answers as readers of the result see them", () => {
    const call = { type: "tool-call" as const, id: "t00020001", name: "look", input: {} };
    const turns = [turn({ type: "text", text: "One." }), turn(call), turn({ type: "text", text: "Two." }, call)];
    expect(writtenText(turns, "\n\n")).toBe("One.\n\nTwo.");
  });
});
