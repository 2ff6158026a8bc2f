import type { TaskSummary } from "../http/control/schema/task.js";
import type { FollowLine } from "../http/control/schema/task-event.js";
import { durationText } from "../shared/duration.js";
import { harmlessLine } from "./harmless.js";
import type { Output } from "./output.js";
import { partsText } from "./part-text.js";
import { stateWords } from "./state-text.js";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];

/** One line on the terminal that says what is being waited for; nothing where nobody looks. */
export class Progress {
  readonly #out: Output;
  readonly #tasks = new Map<string, TaskSummary>();
  readonly #since = Date.now();
  readonly #timer: NodeJS.Timeout;
  #said = "";
  #frame = 0;

  constructor(out: Output) {
    this.#out = out;
    this.#timer = setInterval(() => this.#draw(), 120);
    this.#timer.unref();
  }

  show(line: FollowLine): void {
    if (line.type === "task") {
      this.#tasks.set(line.task.id, { ...line.task });
      return;
    }
    const task = this.#tasks.get(line.taskId);
    if (task === undefined || line.event.type !== "status") return;
    task.state = line.event.state;
    task.waitingFor = line.event.waitingFor ?? null;
    const said = line.event.message === undefined ? "" : `: ${harmlessLine(partsText(line.event.message))}`;
    this.#said = `${harmlessLine(task.persona)} ${stateWords(task)}${said}`;
  }

  end(): void {
    clearInterval(this.#timer);
    this.#out.status(null);
  }

  #draw(): void {
    const frame = FRAMES[this.#frame++ % FRAMES.length];
    this.#out.status(`${frame} ${durationText(Date.now() - this.#since)}  ${this.#said}`);
  }
}
