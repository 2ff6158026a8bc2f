import { lastNodes, readyNodes, type WorkflowNode } from "../../personas/workflow.js";
import type { Clock } from "../../shared/clock.js";
import { NuncioError } from "../../shared/errors.js";
import type { JsonValue } from "../../shared/json.js";
import { dataOf, type Part, textOf } from "../../tasks/message.js";
import type { Run, RunOutcome, ToolOutcome, ToolResult } from "../../tasks/runner.js";
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

/** One attempt at a workflow: begins whatever can be begun, until all is done or what is left has to wait. */
export class WorkflowRun {
  readonly #run: Run;
  readonly #nodes: readonly WorkflowNode[];
  readonly #clock: Clock;
  readonly #names: RunNames;
  readonly #tries: Tries;
  readonly #outputs = new Map<string, NodeOutput>();
  readonly #waiting = new WaitingNodes();

  constructor(run: Run, nodes: readonly WorkflowNode[], clock: Clock) {
    this.#run = run;
    this.#nodes = nodes;
    this.#clock = clock;
    this.#names = namesOfRun(run);
    this.#tries = new Tries(run.journal);
  }

  async run(): Promise<RunOutcome> {
    for (let node = this.#next(); node !== undefined; node = this.#next()) {
      if (this.#run.stopped) return ABORTED;
      const ended = await this.#do(node);
      if (ended !== undefined) return ended;
    }
    return this.#waiting.any ? this.#waiting.outcome(this.#run.task.id) : this.#completed();
  }

  /**
   * Personas and approvals first: they work and think while a tool is called here. Undefined when everything is done, or
   * waits, or needs what waits.
   */
  #next(): WorkflowNode | undefined {
    const ready = readyNodes(this.#nodes, this.#outputs).filter(({ id }) => !this.#waiting.has(id));
    return ready.find((node) => !("tool" in node)) ?? (this.#waiting.asksCaller ? undefined : ready[0]);
  }

  /** Undefined when other nodes may go on. */
  async #do(node: WorkflowNode): Promise<RunOutcome | undefined> {
    let call: NodeCall;
    try {
      call = callOf(node, (forPersona) => namesOf(this.#names, this.#outputs, forPersona));
    } catch (error) {
      if (!NuncioError.is(error, "invalid_argument")) throw error;
      return { type: "failed", reason: `node ${node.id}: ${error.message}`, retryable: false };
    }
    const outcome = await this.#call(call, this.#tries.callId(node.id));
    if (outcome.type === "parked") return outcome;
    if (outcome.type === "result") return this.#came(node, call, outcome);
    this.#waiting.add(node.id, outcome);
    return undefined;
  }

  #call(call: NodeCall, callId: string): Promise<ToolOutcome> {
    if ("ask" in call) return this.#run.tools.approve(call.ask, callId);
    const last = !this.#waiting.any && readyNodes(this.#nodes, this.#outputs).length === 1;
    return this.#run.tools.call(call.tool, call.args, callId, { last });
  }

  #came(node: WorkflowNode, call: NodeCall, result: ToolResult): RunOutcome | undefined {
    if (isBusy(node, result)) {
      const until = this.#tries.againLater(node.id, this.#clock.now(), timeoutOf(node));
      if (until !== null) {
        this.#waiting.add(node.id, { type: "wait", taskIds: [], until });
        return undefined;
      }
    }
    const failure = failureOf(node, result);
    if (failure === null) {
      const outside = "tool" in call ? outsideWords(call.tool, result) : undefined;
      this.#outputs.set(node.id, { value: result.value, outside });
      return undefined;
    }
    if (failure.retryable) this.#tries.again(node.id);
    return { type: "failed", ...failure };
  }

  #completed(): RunOutcome {
    const parts = lastNodes(this.#nodes).map(({ id }) => partOf(this.#outputs.get(id)?.value ?? null));
    this.#run.emit({ type: "artifact", artifact: { ...RESULT, parts }, append: false, lastChunk: true });
    return { type: "completed" };
  }
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
