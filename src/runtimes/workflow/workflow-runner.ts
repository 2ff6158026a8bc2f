import type { WorkflowNode } from "../../personas/workflow.js";
import type { Clock } from "../../shared/clock.js";
import { NuncioError } from "../../shared/errors.js";
import type { NewWork, Run, RunOutcome, TaskRunner } from "../../tasks/runner.js";
import { WorkflowRun } from "./workflow-run.js";

type PersonaKey = Pick<NewWork, "tenant" | "persona">;

/**
 * Runs personas that are graphs of nodes. Where a task stands is nowhere but in the tool box's journal, in which each call
 * has the id of its node: every attempt goes through the graph from its beginning, what is done answers at once, and the
 * first node without a result is where it goes on. If we die in the middle of a node, that node is begun again or, when
 * its tool cannot be, has failed.
 */
export class WorkflowRunner implements TaskRunner {
  readonly #nodesOf: (task: PersonaKey) => readonly WorkflowNode[];
  readonly #clock: Clock;

  constructor(nodesOf: (task: PersonaKey) => readonly WorkflowNode[], clock: Clock) {
    this.#nodesOf = nodesOf;
    this.#clock = clock;
  }

  async run(run: Run): Promise<RunOutcome> {
    const nodes = this.#nodesOf(run.task);
    if (nodes.length > 0) return new WorkflowRun(run, nodes, this.#clock).run();
    throw new NuncioError("failed_precondition", `persona "${run.task.persona}" is no workflow here`);
  }
}
