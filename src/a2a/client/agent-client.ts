import type { JsonObject } from "../../shared/json.js";
import type { ProtocolVersion } from "../protocol/version.js";
import type { Binding, CallOptions } from "./bindings/binding.js";
import { streamCut } from "./errors.js";
import { type Outcome, outcomeOf, type SendOutcome } from "./outcome.js";
import { hasEnded, isSettled, type RemoteTask, type RemoteUpdate } from "./remote-task.js";
import { type Outgoing, SPELLINGS, type Spelling } from "./versions/spelling.js";

/**
 * The updates of a stream, the first of which has come already. The iteration ends when the task is settled, or with
 * the one message; it fails with AGENT_STREAM_CUT when the stream ends before.
 */
export type Updates = AsyncGenerator<RemoteUpdate, void>;

/** One agent, spoken to over one of its interfaces. Nothing is sent twice, and nothing that it says is believed. */
export class AgentClient {
  readonly #binding: Binding;
  readonly #spelling: Spelling;
  readonly #tenant: JsonObject;

  /** @param tenant of the interface: goes into every request of 1.0 */
  constructor(binding: Binding, version: ProtocolVersion, tenant: string | null = null) {
    this.#binding = binding;
    this.#spelling = SPELLINGS[version];
    this.#tenant = tenant === null || version !== "1.0" ? {} : { tenant };
  }

  /** Never rejects: whatever goes wrong is an outcome, an abort too. */
  send(outgoing: Outgoing, options: CallOptions = {}): Promise<SendOutcome> {
    const { waits } = outgoing;
    const params = { ...this.#tenant, ...this.#spelling.sendParams(outgoing) };
    return outcomeOf(
      this.#binding.call("send", params, { ...options, waits }).then((result) => this.#spelling.readAnswer(result)),
    );
  }

  /** As `send`. It is accepted when the first update is there. */
  stream(outgoing: Outgoing, options: CallOptions = {}): Promise<Outcome<Updates>> {
    const params = { ...this.#tenant, ...this.#spelling.sendParams(outgoing) };
    return outcomeOf(this.#follow("stream", params, options));
  }

  /** Goes on following a task. Rejects, among others, when it has ended. */
  subscribe(taskId: string, options: CallOptions = {}): Promise<Updates> {
    return this.#follow("subscribe", { ...this.#tenant, ...this.#spelling.taskParams(taskId) }, options);
  }

  async get(
    taskId: string,
    { historyLength, ...options }: CallOptions & { historyLength?: number } = {},
  ): Promise<RemoteTask> {
    const params = { ...this.#tenant, ...this.#spelling.taskParams(taskId, historyLength) };
    return this.#spelling.readTask(await this.#binding.call("get", params, options));
  }

  /** What it says afterwards is that it says so; whether the work has stopped is not known. */
  async cancel(taskId: string, options: CallOptions = {}): Promise<RemoteTask> {
    const params = { ...this.#tenant, ...this.#spelling.taskParams(taskId) };
    return this.#spelling.readTask(await this.#binding.call("cancel", params, options));
  }

  async #follow(name: "stream" | "subscribe", params: JsonObject, options: CallOptions): Promise<Updates> {
    const results = (await this.#binding.stream(name, params, options))[Symbol.asyncIterator]();
    try {
      const first = await this.#next(results);
      if (first === null) throw streamCut();
      return this.#updates(first, results);
    } catch (error) {
      await results.return?.();
      throw error;
    }
  }

  async *#updates(first: RemoteUpdate, results: AsyncIterator<unknown>): Updates {
    try {
      // A task that is answered may be shown as it asked, before it goes on.
      let settled = first.type === "task" && isSettled(first.task.state);
      yield first;
      if (first.type === "task" ? hasEnded(first.task.state) : isLast(first)) return;
      for (let update = await this.#next(results); update !== null; update = await this.#next(results)) {
        yield update;
        if (isLast(update)) return;
        settled = false;
      }
      if (!settled) throw streamCut();
    } finally {
      await results.return?.();
    }
  }

  async #next(results: AsyncIterator<unknown>): Promise<RemoteUpdate | null> {
    const { done, value } = await results.next();
    return done === true ? null : this.#spelling.readUpdate(value);
  }
}

function isLast(update: RemoteUpdate): boolean {
  if (update.type === "message") return true;
  if (update.type === "task") return isSettled(update.task.state);
  return update.type === "status" && (update.final || isSettled(update.state));
}
