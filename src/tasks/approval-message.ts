import { agentSays } from "./agent-says.js";
import { APPROVE, type NewApproval } from "./approval-ledger.js";
import type { Message } from "./message.js";

/*
 * What a task says while the operator has to decide. Its caller reads this, who may be anybody: it names what is asked
 * for and never the arguments.
 */

/** Of the task itself. */
export function approvalMessage(requests: readonly Pick<NewApproval, "tool">[]): Message {
  const tools = [...new Set(requests.map(({ tool }) => tool).filter((tool) => tool !== APPROVE))];
  const what = tools.length === 0 ? "" : ` to call ${tools.join(", ")}`;
  return agentSays(`Waiting for the operator's approval${what}.`);
}

interface Asked {
  persona: string;
  taskId: string;
  tool: string;
}

/** Of those that await it. */
export const askedBelow = ({ persona, taskId, tool }: Asked): Message =>
  agentSays(`Waiting for the operator's approval: ${persona} (task ${taskId}) asks${toCall(tool)}.`);

/** Of the same, when it is decided. */
export const decidedBelow = ({ persona, taskId, tool }: Asked, decision: "approved" | "denied" | "expired"): Message =>
  agentSays(
    decision === "expired"
      ? `The approval for which ${persona} (task ${taskId}) asked${toCall(tool)} has expired.`
      : `The operator has ${decision} what ${persona} (task ${taskId}) asked for${toCall(tool)}.`,
  );

const toCall = (tool: string): string => (tool === APPROVE ? "" : ` to call ${tool}`);
