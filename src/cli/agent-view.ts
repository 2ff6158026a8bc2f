import type { SendLine } from "../http/control/schema/a2a.js";
import { agentStateText } from "./agent-state-text.js";
import { harmlessLine } from "./harmless.js";
import type { Output } from "./output.js";
import { partsText } from "./part-text.js";
import { RunningText } from "./running-text.js";

/** Shows what an agent says while it says it: a line for each state, and its text in the pieces that come. */
export class AgentView {
  readonly #out: Output;
  readonly #text: RunningText;
  #state = "";

  constructor(out: Output) {
    this.#out = out;
    this.#text = new RunningText(out);
  }

  show(line: SendLine): void {
    switch (line.type) {
      case "task":
        this.#status(line.task.status);
        for (const artifact of line.task.artifacts) this.#text.artifact(artifact, false);
        break;
      case "status":
        this.#status(line.status);
        break;
      case "artifact":
        this.#text.artifact(line.artifact, line.append);
        break;
      case "message":
        this.#text.piece(partsText(line.message));
    }
  }

  end(): void {
    this.#text.end();
  }

  #status({ state, message }: Extract<SendLine, { type: "status" }>["status"]): void {
    const said = message === null ? "" : `: ${harmlessLine(partsText(message))}`;
    const line = agentStateText(state) + said;
    if (line === this.#state) return;
    this.#state = line;
    this.#text.line(`${this.#out.colors.dim("·")} ${line}`);
  }
}
