import { randomUUID } from "node:crypto";
import { EventEmitter, once } from "node:events";

export interface PeerArtifact {
  artifactId: string;
  name: string;
  parts: readonly Record<string, unknown>[];
}

const SETTLED = new Set([
  "TASK_STATE_COMPLETED",
  "TASK_STATE_FAILED",
  "TASK_STATE_CANCELED",
  "TASK_STATE_REJECTED",
  "TASK_STATE_INPUT_REQUIRED",
  "TASK_STATE_AUTH_REQUIRED",
]);

/** A task of a peer, which remembers it as long as its process lives. */
export class PeerTask {
  readonly id = randomUUID();
  readonly contextId = randomUUID();
  readonly history: Record<string, unknown>[] = [];
  artifacts: PeerArtifact[] = [];
  state = "TASK_STATE_WORKING";
  said: string | null = null;
  readonly #changes = new EventEmitter();

  get settled(): boolean {
    return SETTLED.has(this.state);
  }

  get ended(): boolean {
    return this.settled && !/INPUT|AUTH/.test(this.state);
  }

  move(state: string, said: string | null = null): void {
    this.state = state;
    this.said = said;
    this.#changes.emit("change");
  }

  async untilSettled(): Promise<void> {
    while (!this.settled) await once(this.#changes, "change");
  }

  status(): Record<string, unknown> {
    const message = { messageId: randomUUID(), role: "ROLE_AGENT", parts: [{ text: this.said }] };
    return { state: this.state, ...(this.said !== null && { message }) };
  }
}
