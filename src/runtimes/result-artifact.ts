import { type Artifact, textOf } from "../tasks/message.js";
import type { Progress } from "../tasks/runner.js";

/** What a run answers with. */
export const RESULT = { artifactId: "result", name: "result" };

/** Stands between the texts of two steps of one run. */
export const SECTION_BREAK = "\n\n";

/** The artifact `result`, written piece by piece. */
export class ResultArtifact {
  readonly #emit: (progress: Progress) => void;
  /** Readers have a `result` that what follows is appended to. */
  #exists: boolean;
  #hasText: boolean;
  #newSection = false;

  /**
   * @param standing the artifacts that readers see, as the attempt found them
   * @param kept the text that this attempt continues from. Whatever else an earlier attempt had shown is taken back at
   *   once, so that nobody reads half of a step that was lost.
   */
  constructor(emit: (progress: Progress) => void, standing: readonly Artifact[], kept: string) {
    this.#emit = emit;
    const shown = standing.find((artifact) => artifact.artifactId === RESULT.artifactId);
    this.#exists = shown !== undefined;
    this.#hasText = kept !== "";
    if (kept === (shown === undefined ? "" : textOf(shown))) return;
    this.#exists = false;
    this.#put(kept, false);
  }

  /** What is written next belongs to another step. */
  section(): void {
    this.#newSection = this.#hasText;
  }

  write(text: string): void {
    if (text === "") return;
    this.#put(this.#newSection ? SECTION_BREAK + text : text, false);
    this.#newSection = false;
    this.#hasText = true;
  }

  /**
   * Marks the end. Nobody knows of a piece that it is the last when it comes, so an empty one follows it; the attempt
   * joins the two unless the other has been recorded already. Where nothing was written there is no artifact.
   */
  end(): void {
    if (this.#hasText) this.#put("", true);
  }

  #put(text: string, lastChunk: boolean): void {
    this.#emit({ type: "artifact", artifact: { ...RESULT, parts: [{ text }] }, append: this.#exists, lastChunk });
    this.#exists = true;
  }
}
