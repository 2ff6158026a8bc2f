import { lastNodes, readyNodes, type WorkflowNode } from "../../personas/workflow.js";
import type { Clock } from "../../shared/clock.js";
import { NuncioError } from "../../shared/errors.js";
import type { JsonValue } from "../../shared/json.js";
import { dataOf, type Part, textOf } from "../../tasks/message.js";
import type { NewWork, Run, RunOutcome, TaskRunner } from "../../tasks/runner.js";
import { outsideWords } from "../outside-words.js";
import { RESULT } from "../result-artifact.js";
import { wordsOf } from "../result-value.js";
import type { RunNames } from "../run-names.js";
import { callOf, type NodeCall } from "./node-call.js";
import { failureOf, isBusy } from "./node-failure.js";
import { type NodeOutput, namesOf } from "./node-templates.js";
import { Tries } from "./tries.js";
import { WaitingNodes } from "./waiting-nodes.js";

/** What is returned after an abort does not matter to anybody. */
const ABORTED: RunOutcome = { type: "failed", reason: "aborted", retryable: true };
/** How long a persona is waited for that is busy with others, as `persona_send` waits for its reply. */
const TIMEOUT_MS = 300_000;

/**
 * A persona that is a graph of nodes. Where it stands is nowhere but in the tool box's journal, in which each call has the
 * id of its node: every attempt goes through the graph from its beginning, what is done answers at once, and the first
 * node without a result is where it goes on. If we die in the middle of a node, that node is begun again or, when its
 * tool cannot be, has failed.
 */
export class WorkflowRunner implements TaskRunner {
  readonly #nodesOf: (task: Pick<NewWork, "tenant" | "persona">) => readonly WorkflowNode[];
  readonly #clock: Clock;

  constructor(nodesOf: (task: Pick<NewWork, "tenant" | "persona">) => readonly WorkflowNode[], clock: Clock) {
    this.#nodesOf = nodesOf;
    this.#clock = clock;
  }

  async run(run: Run): Promise<RunOutcome> {
    const nodes = this.#nodesOf(run.task);
    if (nodes.length === 0)
      throw new NuncioError("failed_precondition", `persona "${run.task.persona}" is no workflow`);
    const outputs = new Map<string, NodeOutput>();
    const names = namesOfRun(run);
    const lookUp = (forPersona: boolean) => namesOf(names, outputs, forPersona);
    const waiting = new WaitingNodes();
    const tries = new Tries(run.journal);
    for (let node = next(nodes, outputs, waiting); node !== undefined; node = next(nodes, outputs, waiting)) {
      if (run.stopped) return ABORTED;
      const last = !waiting.any && readyNodes(nodes, outputs).length === 1;
      let call: NodeCall;
      try {
        call = callOf(node, lookUp);
      } catch (error) {
        if (!NuncioError.is(error, "invalid_argument")) throw error;
        return { type: "failed", reason: `node ${node.id}: ${error.message}`, retryable: false };
      }
      const callId = tries.callId(node.id);
      const outcome =
        "ask" in call
          ? await run.tools.approve(call.ask, callId)
          : await run.tools.call(call.tool, call.args, callId, { last });
      if (outcome.type === "parked") return outcome;
      if (outcome.type !== "result") {
        waiting.add(node.id, outcome);
        continue;
      }
      if (isBusy(node, outcome)) {
        const until = tries.againLater(node.id, this.#clock.now(), timeoutOf(node));
        if (until !== null) {
          waiting.add(node.id, { type: "wait", taskIds: [], until });
          continue;
        }
      }
      const failure = failureOf(node, outcome);
      if (failure !== null) {
        if (failure.retryable) tries.again(node.id);
        return { type: "failed", ...failure };
      }
      const outside = "tool" in call ? outsideWords(call.tool, outcome) : undefined;
      outputs.set(node.id, { value: outcome.value, outside });
    }
    if (waiting.any) return waiting.outcome(run.task.id);
    const parts = lastNodes(nodes).map(({ id }) => partOf(outputs.get(id)?.value ?? null));
    run.emit({ type: "artifact", artifact: { ...RESULT, parts }, append: false, lastChunk: true });
    return { type: "completed" };
  }
}

/**
 * What to begin now: personas and approvals first, which work and think while a tool is called here. Undefined when
 * everything is done, or waits, or needs what waits.
 */
function next(
  nodes: readonly WorkflowNode[],
  outputs: ReadonlyMap<string, unknown>,
  waiting: WaitingNodes,
): WorkflowNode | undefined {
  const ready = readyNodes(nodes, outputs).filter(({ id }) => !waiting.has(id));
  return ready.find((node) => !("tool" in node)) ?? (waiting.asksCaller ? undefined : ready[0]);
}

const timeoutOf = (node: WorkflowNode): number => ("persona" in node ? node.timeoutMs : undefined) ?? TIMEOUT_MS;

/** A workflow is about the message that its task began with; later ones answer a question of a node. */
function namesOfRun({ task, message, turn }: Run): RunNames {
  const first = task.history.find(({ role }) => role === "user") ?? message;
  return { text: textOf(first), data: dataOf(first), turn, attempt: task.attempt };
}

function partOf(output: JsonValue): Part {
  const text = wordsOf(output);
  return text === undefined ? { data: output } : { text };
}
