import type { Findings } from "../findings.js";
import type { Outcome } from "../load/kinds.js";
import type { LoadRequest } from "../load/requests.js";
import { name } from "./check-ledger.js";
import type { LedgerFacts, TaskFacts } from "./ledger-facts.js";

/** Each request that was acknowledged has one task, which has come to what it should, and so has all that it delegated. */
export function checkOutcomes(
  facts: LedgerFacts,
  acknowledged: ReadonlyMap<string, { request: LoadRequest; id: string }>,
  findings: Findings,
): void {
  const made = new Map(facts.submissions.map(({ messageId, taskId }) => [messageId, taskId]));
  const known = new Set<string>();
  for (const [messageId, { request, id }] of acknowledged) {
    known.add(id);
    const task = facts.tasks.get(id);
    if (made.get(messageId) !== id)
      findings.lost(`${messageId} was acknowledged as ${id}, and is ${made.get(messageId)}`);
    if (task === undefined) findings.lost(`${messageId} was acknowledged as ${id}, which is not there`);
    else checkOutcome(task, request.outcome, findings);
  }
  for (const task of facts.tasks.values())
    if (task.parentId === null && !known.has(task.id)) findings.doubled(`nobody was told of ${name(task)}`);
}

function checkOutcome(task: TaskFacts, { text, state, result, children }: Outcome, findings: Findings): void {
  if (task.text !== text) findings.lost(`${name(task)} was asked for "${text}"`);
  if (task.state !== state) findings.lost(`${name(task)} is ${task.state} instead of ${state}`);
  // What a canceled task had said before stays.
  else if (task.result !== result && state !== "canceled")
    findings.lost(`${name(task)} came to "${task.result}" instead of "${result}"`);

  const left = [...task.children];
  for (const child of children ?? []) {
    const at = left.findIndex((candidate) => candidate.text === child.text);
    const [found] = at < 0 ? [] : left.splice(at, 1);
    if (found === undefined) findings.lost(`${name(task)} has no delegation of "${child.text}"`);
    else checkOutcome(found, child, findings);
  }
  const most = children === undefined ? 1 : 0;
  for (const child of left.slice(most)) findings.doubled(`${name(task)} delegated ${name(child)} once too often`);
}
