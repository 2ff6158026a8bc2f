import { type Call, type Cut, stream } from "./wire.js";

interface WireArtifact {
  artifactId: string;
  parts: { text?: string }[];
}

interface WireStatus {
  state: string;
}

export interface WireTask {
  id: string;
  status: WireStatus;
  artifacts?: WireArtifact[];
}

type StreamValue =
  | { task: WireTask }
  | { statusUpdate: { taskId: string; status: WireStatus } }
  | { artifactUpdate: { taskId: string; artifact: WireArtifact; append?: boolean } };

/**
 * What a client of a stream has seen of a task, over all the connections that it took. What does not fit together is
 * a fault: an event that came twice, or one that is missing from what it is later told the task was at that point.
 */
export class SeenTask {
  id: string | undefined;
  state = "";
  lastEventId = 0;
  readonly faults: { kind: "lost" | "doubled"; text: string }[] = [];
  #artifacts = new Map<string, string>();

  get settled(): boolean {
    return /_(COMPLETED|FAILED|CANCELED|REJECTED|INPUT_REQUIRED|AUTH_REQUIRED)$/.test(this.state);
  }

  get result(): string {
    return [...this.#artifacts.values()].join("");
  }

  /** Reads one connection, until the server or the cut ends it. */
  async read(call: Omit<Call, "cut" | "lastEventId">, cut: Cut | undefined, maxFrames: number): Promise<void> {
    const resumes = this.lastEventId > 0 ? { lastEventId: this.lastEventId } : {};
    let first = true;
    for await (const { id, value } of stream<StreamValue>({ ...call, ...resumes, cut }, maxFrames)) {
      if ("task" in value) this.#begin(id, value.task, first);
      else if (id <= this.lastEventId) this.#fault("doubled", `event ${id} came after ${this.lastEventId}`);
      else this.#apply(value);
      this.lastEventId = id;
      first = false;
    }
  }

  #begin(id: number, task: WireTask, first: boolean): void {
    if (!first) this.#fault("doubled", "the task came in the middle of a stream");
    if (this.id !== undefined && this.id !== task.id) this.#fault("doubled", `${this.id} has become ${task.id}`);
    const artifacts = new Map((task.artifacts ?? []).map(({ artifactId, parts }) => [artifactId, textOf(parts)]));
    if (this.lastEventId > 0) {
      if (id !== this.lastEventId) this.#fault("lost", `resumed at ${id} instead of ${this.lastEventId}`);
      else if (describe(artifacts) !== describe(this.#artifacts)) {
        this.#fault("lost", `at ${id} it was ${describe(artifacts)}, and ${describe(this.#artifacts)} had been told`);
      }
    }
    this.id = task.id;
    this.state = task.status.state;
    this.#artifacts = artifacts;
  }

  #apply(value: Exclude<StreamValue, { task: WireTask }>): void {
    if ("statusUpdate" in value) {
      if (this.settled) this.#fault("doubled", `it is ${this.state}, and then ${value.statusUpdate.status.state}`);
      this.state = value.statusUpdate.status.state;
      return;
    }
    const { artifact, append = false } = value.artifactUpdate;
    const before = append ? (this.#artifacts.get(artifact.artifactId) ?? "") : "";
    this.#artifacts.set(artifact.artifactId, before + textOf(artifact.parts));
  }

  #fault(kind: "lost" | "doubled", text: string): void {
    this.faults.push({ kind, text: `stream of ${this.id}: ${text}` });
  }
}

const textOf = (parts: readonly { text?: string }[]): string => parts.map(({ text = "" }) => text).join("");
const describe = (artifacts: ReadonlyMap<string, string>): string => JSON.stringify([...artifacts]);

/** The text of all artifacts of a task. */
export const resultOf = ({ artifacts = [] }: WireTask): string => artifacts.map(({ parts }) => textOf(parts)).join("");
