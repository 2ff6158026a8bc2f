import type { TaskSummary } from "../http/control/schema/task.js";
import type { FollowLine, TaskEventJson } from "../http/control/schema/task-event.js";
import { harmlessLine } from "./harmless.js";
import type { Output } from "./output.js";
import { partsText, titleOf } from "./part-text.js";
import { RunningText } from "./running-text.js";
import { stateSign, stateText } from "./state-text.js";

type StatusEvent = Extract<TaskEventJson, { type: "status" }>;
type ArtifactEvent = Extract<TaskEventJson, { type: "artifact" }>;

/**
 * Shows a followed task line by line, as things happen: a line for each change in the tree, indented by depth, and the
 * text that the followed task makes. It never moves the cursor, so that it reads the same in a pipe and in a log.
 */
export class StreamView {
  readonly #out: Output;
  readonly #tasks = new Map<string, { task: TaskSummary; depth: number }>();
  readonly #text: RunningText;
  #followed: string | null = null;

  constructor(out: Output) {
    this.#out = out;
    this.#text = new RunningText(out);
  }

  show(line: FollowLine): void {
    if (line.type === "task") this.#appeared(line.task);
    else this.#happened(line);
  }

  #happened(line: Extract<FollowLine, { type: "event" }>): void {
    const known = this.#tasks.get(line.taskId);
    if (known === undefined) return;
    if (line.event.type === "status") this.#status(known.task, known.depth, line.event);
    if (line.event.type !== "artifact") return;
    if (line.taskId === this.#followed) this.#text.artifact(line.event.artifact, line.event.append);
    else if (line.event.lastChunk) this.#made(known.depth, line.event);
  }

  end(): void {
    this.#text.end();
  }

  #appeared(task: TaskSummary): void {
    this.#followed ??= task.id;
    const parent = task.parentId === null ? undefined : this.#tasks.get(task.parentId);
    const depth = parent === undefined ? 0 : parent.depth + 1;
    this.#tasks.set(task.id, { task: { ...task, state: "pending", waitingFor: null }, depth });
    const { colors } = this.#out;
    this.#line(depth, `${colors.bold(harmlessLine(task.persona))}  ${colors.dim(task.id)}`);
  }

  #status(task: TaskSummary, depth: number, event: StatusEvent): void {
    const changed = task.state !== event.state || task.waitingFor !== (event.waitingFor ?? null);
    task.state = event.state;
    task.waitingFor = event.waitingFor ?? null;
    const { colors } = this.#out;
    const said = event.message === undefined ? "" : `: ${harmlessLine(partsText(event.message))}`;
    if (!changed && said === "") return;
    if (event.state === "claimed") return;
    this.#line(depth, `  ${stateSign(task, colors)} ${stateText(task, colors)}${said}`);
  }

  #made(depth: number, { artifact }: ArtifactEvent): void {
    const text = harmlessLine(partsText(artifact));
    const short = text.length > 100 ? `${text.slice(0, 100)}…` : text;
    this.#line(depth, `  ${this.#out.colors.dim(`${titleOf(artifact)}:`)} ${short}`);
  }

  #line(depth: number, line: string): void {
    this.#text.line(`${"  ".repeat(depth)}${line}`);
  }
}
