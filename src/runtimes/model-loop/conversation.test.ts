import { describe, expect, it } from "vitest";
import type { Artifact, Message } from "../../tasks/message.js";
import { conversationMessages } from "./conversation.js";

const said = (role: Message["role"], text: string): Message => ({ messageId: text, role, parts: [{ text }] });
const result = (text: string): Artifact => ({ artifactId: "result", parts: [{ text }] });
const task = (question: string, answer: string) => ({
  history: [said("user", question)],
  statusMessage: null,
  artifacts: [result(answer)],
});

describe("conversationMessages", () => {
  it("is what was asked and answered, oldest first", () => {
    expect(conversationMessages([task("one?", "one."), task("two?", "two.")], 1000)).toEqual([
      { role: "user", content: "one?" },
      { role: "assistant", content: "one." },
      { role: "user", content: "two?" },
      { role: "assistant", content: "two." },
    ]);
  });

  it("keeps the newest tasks that fit, each whole or not at all", () => {
    const tasks = [task("a".repeat(40), "b"), task("c".repeat(40), "d".repeat(40)), task("e", "f")];
    expect(conversationMessages(tasks, 20).map(({ content }) => content)).toEqual(["e", "f"]);
    expect(conversationMessages(tasks, 21).map(({ content }) => (content as string)[0])).toEqual(["c", "d", "e", "f"]);
  });

  it("has the questions that were answered on the way, and no progress messages", () => {
    const asked = {
      history: [
        said("user", "Paint it."),
        said("agent", "Looking for brushes"),
        said("agent", "Which color?"),
        said("user", "Red."),
        said("agent", "Painting"),
      ],
      statusMessage: null,
      artifacts: [result("Done.")],
    };
    expect(conversationMessages([asked], 1000).map(({ role, content }) => `${role}: ${content}`)).toEqual([
      "user: Paint it.",
      "assistant: Which color?",
      "user: Red.",
      "assistant: Done.",
    ]);
  });

  it("shows the reason of a failure as the answer, and leaves out a task that has none", () => {
    const failed = {
      history: [said("user", "Try.")],
      statusMessage: said("agent", "the provider is down"),
      artifacts: [],
    };
    const silent = { history: [said("user", "Hello?")], statusMessage: null, artifacts: [result(" ")] };
    expect(conversationMessages([failed, silent], 1000).map(({ content }) => content)).toEqual([
      "Try.",
      "the provider is down",
    ]);
  });
});
