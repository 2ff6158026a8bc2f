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
export function decidedBelow(asked: Asked, decision: "approved" | "denied" | "expired"): Message {
  const { persona, taskId, tool } = asked;
  const said = decision === "expired" ? "Nobody has approved in time" : `The operator has ${decision}`;
  return agentSays(`${said} what ${persona} (task ${taskId}) asked${tool === APPROVE ? "" : `: a call of ${tool}`}.`);
}

const toCall = (tool: string): string => (tool === APPROVE ? "" : ` to call ${tool}`);
