import type { SendLine } from "../http/control/schema/a2a.js";
import { agentStateText } from "./agent-text.js";
import { harmlessLine } from "./harmless.js";
import type { Output } from "./output.js";
import { partsText, partText, titleOf } from "./part-text.js";

/** Shows what an agent says while it says it: a line for each state, and its text in the pieces that come. */
export class AgentView {
  readonly #out: Output;
  /** Text that was shown of each artifact. */
  readonly #shown = new Map<string, string>();
  #state = "";
  #midLine = false;

  constructor(out: Output) {
    this.#out = out;
  }

  show(line: SendLine): void {
    switch (line.type) {
      case "task":
        this.#status(line.task.status);
        for (const artifact of line.task.artifacts) this.#text(artifact, false);
        break;
      case "status":
        this.#status(line.status);
        break;
      case "artifact":
        this.#text(line.artifact, line.append);
        break;
      case "message":
        this.#piece(partsText(line.message));
    }
  }

  end(): void {
    if (this.#midLine) this.#out.write("\n");
    this.#midLine = false;
  }

  #status({ state, message }: Extract<SendLine, { type: "status" }>["status"]): void {
    const said = message === null ? "" : `: ${harmlessLine(partsText(message))}`;
    const line = agentStateText(state) + said;
    if (line === this.#state) return;
    this.#state = line;
    this.end();
    this.#out.write(`${this.#out.colors.dim("·")} ${line}\n`);
  }

  /** A text grows; where it is said anew and differs, that is said. */
  #text(artifact: Extract<SendLine, { type: "artifact" }>["artifact"], append: boolean): void {
    const before = this.#shown.get(artifact.artifactId);
    const text = artifact.parts.map(partText).join("\n");
    const whole = append ? (before ?? "") + text : text;
    this.#shown.set(artifact.artifactId, whole);
    if (before === undefined) {
      this.end();
      if (this.#shown.size > 1) this.#out.write(`${titleOf(artifact)}:\n`);
      this.#piece(whole);
    } else if (whole.startsWith(before)) {
      this.#piece(whole.slice(before.length));
    } else {
      this.end();
      this.#out.write(`${this.#out.colors.dim(`${titleOf(artifact)} again, from the start:`)}\n`);
      this.#piece(whole);
    }
  }

  #piece(text: string): void {
    if (text === "") return;
    this.#out.write(text);
    this.#midLine = !text.endsWith("\n");
  }
}
