import { z } from "zod";
import { textOf } from "../tasks/message.js";
import { text } from "./arguments.js";
import { hostTool, result } from "./host-tool.js";

/**
 * Ends the turn with a question to the caller. The answer is the message of the next turn, in which the run calls
 * again with the same id.
 */
export const askCaller = hostTool({
  name: "ask_caller",
  description:
    "Asks whoever gave you this task a question and waits for the answer. Use it only when you cannot go on without it.",
  args: z.strictObject({ question: text(64 * 1024).describe("The question, complete in itself") }),
  // An agent that takes no follow-ups could never be answered.
  offeredTo: (persona) => persona.followUps,
  needs: "followUps: true",
  idempotent: true,
  async run({ question }, call) {
    const { attempt } = call;
    if (call.start().turn < attempt.turn) {
      return result({ answer: textOf(attempt.message) }, { by: "your caller", fields: ["answer"] });
    }
    return { type: "ask", waitingFor: "input", question };
  },
});
