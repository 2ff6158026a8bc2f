import type { ArtifactJson } from "../http/control/schema/message.js";
import type { Output } from "./output.js";
import { partText, titleOf } from "./part-text.js";

/** Lines, and between them texts in the pieces in which they come. The cursor never moves back. */
export class RunningText {
  readonly #out: Output;
  /** What was shown of each artifact. */
  readonly #shown = new Map<string, string>();
  #midLine = false;

  constructor(out: Output) {
    this.#out = out;
  }

  line(line: string): void {
    this.end();
    this.#out.write(`${line}\n`);
  }

  /** A text grows; where it is said anew and differs, that is said. */
  artifact(artifact: ArtifactJson, append: boolean): void {
    const before = this.#shown.get(artifact.artifactId);
    const text = artifact.parts.map(partText).join("\n");
    const whole = append ? (before ?? "") + text : text;
    this.#shown.set(artifact.artifactId, whole);
    if (before === undefined) {
      this.end();
      if (this.#shown.size > 1) this.line(`${titleOf(artifact)}:`);
      this.piece(whole);
    } else if (whole.startsWith(before)) {
      this.piece(whole.slice(before.length));
    } else {
      this.line(this.#out.colors.dim(`${titleOf(artifact)} again, from the start:`));
      this.piece(whole);
    }
  }

  piece(text: string): void {
    if (text === "") return;
    this.#out.write(text);
    this.#midLine = !text.endsWith("\n");
  }

  end(): void {
    if (this.#midLine) this.#out.write("\n");
    this.#midLine = false;
  }
}
