import { setTimeout as after } from "node:timers/promises";
import type { Findings } from "../findings.js";
import type { Nodes } from "../nodes/nodes.js";
import { resultOf, SeenTask, type WireTask } from "./follow-stream.js";
import type { LoadRequest } from "./requests.js";
import { ConnectionLost, type Cut, call, Refused } from "./wire.js";

const AGENT = "front";
const NOT_CANCELABLE = -32002;

/** Shares of what a client does, by chance. */
const TWICE_AT_ONCE = 0.15;
const AGAIN_LATER = 0.15;
const CUT = 0.12;
const LATE_ANSWER = 0.5;

/** What the clients have done, for the table. */
export interface LoadCounts {
  acknowledged: number;
  /** The same message sent again, at once or later. */
  duplicates: number;
  /** The same message id sent with another body, and refused. */
  conflicts: number;
  /** Connections that a client destroyed. */
  cuts: number;
  /** Connections that were lost otherwise. */
  lostConnections: number;
  streamsResumed: number;
  /** Answers that told the client to try again later. */
  refusals: number;
}

interface Acknowledged {
  request: LoadRequest;
  id: string;
}

/** Clients that repeat what they have to say, under the same message id, until they are answered. */
export class Load {
  readonly counts: LoadCounts = {
    acknowledged: 0,
    duplicates: 0,
    conflicts: 0,
    cuts: 0,
    lostConnections: 0,
    streamsResumed: 0,
    refusals: 0,
  };
  /** Id of the task that each message has made, as the daemon said. */
  readonly acknowledged = new Map<string, Acknowledged>();
  readonly #nodes: Nodes;
  readonly #requests: readonly LoadRequest[];
  readonly #findings: Findings;
  readonly #random: () => number;
  readonly #pending = new Map<number, string>();
  readonly #watchers: { count: number; resolve: () => void }[] = [];
  #next = 0;
  #done = 0;
  #progressAt = Date.now();
  #over = false;

  constructor(nodes: Nodes, requests: readonly LoadRequest[], findings: Findings, random: () => number) {
    this.#nodes = nodes;
    this.#requests = requests;
    this.#findings = findings;
    this.#random = random;
  }

  /** Makes all requests, `callers` at a time. Gives up, with a finding for each that is left, when nothing moves any more. */
  async run(callers: number, patienceMs: number): Promise<void> {
    const all = Promise.all(Array.from({ length: callers }, () => this.#caller()));
    const watch = this.#watch(patienceMs);
    await Promise.race([all, watch]);
    this.#over = true;
    all.catch(() => {});
    for (const { resolve } of this.#watchers.splice(0)) resolve();
  }

  /** Resolves when this share of the requests is done, or when no more will be. */
  progress(share: number): Promise<void> {
    const count = Math.floor(share * this.#requests.length);
    if (this.#over || this.#done >= count) return Promise.resolve();
    return new Promise((resolve) => this.#watchers.push({ count, resolve }));
  }

  get over(): boolean {
    return this.#over;
  }

  async #watch(patienceMs: number): Promise<void> {
    while (!this.#over) {
      await after(500, undefined, { ref: false });
      if (Date.now() - this.#progressAt < patienceMs) continue;
      for (const [number, doing] of this.#pending) this.#findings.stuck(`request ${number}: ${doing}`);
      return;
    }
  }

  async #caller(): Promise<void> {
    while (!this.#over) {
      const request = this.#requests[this.#next];
      if (request === undefined) return;
      this.#next += 1;
      try {
        await this.#perform(request);
        if (this.#random() < AGAIN_LATER) await this.#again();
      } catch (error) {
        if (this.#over) return;
        this.#findings.lost(`request ${request.number} (${request.text}): ${(error as Error).stack}`);
      }
      this.#pending.delete(request.number);
      this.#done += 1;
      this.#progressAt = Date.now();
      for (const watcher of this.#watchers) if (this.#done >= watcher.count) watcher.resolve();
    }
  }

  async #perform(request: LoadRequest): Promise<void> {
    const { mode, next, random } = request;
    this.#pending.set(request.number, `sending (${mode}) ${request.text}`);
    const others = random() < TWICE_AT_ONCE ? Array.from({ length: 1 + Math.floor(random() * 2) }, () => "poll") : [];
    this.counts.duplicates += others.length;
    const [task] = await Promise.all([this.#send(request, mode), ...others.map(() => this.#send(request, "poll"))]);
    if (mode === "forget") return;
    if (next === "cancel") return this.#cancel(request, task.id);
    let settled = task;
    if (mode === "poll") settled = await this.#untilSettled(request, task);
    if (next === "answer") {
      if (settled.state !== "TASK_STATE_INPUT_REQUIRED") throw new Error(`it is ${settled.state} and asks nothing`);
      this.#pending.set(request.number, `answering ${request.text} (${task.id})`);
      if (random() < LATE_ANSWER) await after(random() * 2000);
      settled = await this.#block(request, { messageId: `answer-${request.number}`, taskId: task.id });
    }
    const { state, result } = request.outcome;
    const expected = `TASK_STATE_${state.toUpperCase()}`;
    if (settled.state !== expected || settled.result !== result)
      this.#findings.lost(`${task.id} (${request.text}) was ${settled.state} "${settled.result}"`);
  }

  /** Sends the request until it is acknowledged; in the modes that wait, until the task has settled. */
  async #send(request: LoadRequest, mode: LoadRequest["mode"]): Promise<Seen> {
    const seen =
      request.next === "cancel"
        ? await this.#post(request, true)
        : mode === "stream"
          ? await this.#stream(request)
          : await this.#post(request, mode !== "block");
    const known = this.acknowledged.get(request.messageId);
    if (known === undefined) {
      this.acknowledged.set(request.messageId, { request, id: seen.id });
      this.counts.acknowledged += 1;
      this.#progressAt = Date.now();
    } else if (known.id !== seen.id) {
      this.#findings.doubled(`${request.messageId} made ${known.id} and ${seen.id}`);
    }
    return seen;
  }

  async #post(request: LoadRequest, returnImmediately: boolean): Promise<Seen> {
    const { task } = await this.#untilAnswered<{ task: WireTask }>(request, "SendMessage", {
      message: messageOf(request),
      configuration: { returnImmediately },
    });
    return seenOf(task);
  }

  async #block(request: LoadRequest, ids: { messageId: string; taskId: string }): Promise<Seen> {
    const message = { ...ids, role: "ROLE_USER", parts: [{ text: request.text }] };
    const { task } = await this.#untilAnswered<{ task: WireTask }>(request, "SendMessage", { message });
    return seenOf(task);
  }

  /** Follows the task over as many connections as it takes. */
  async #stream(request: LoadRequest): Promise<Seen> {
    const { random } = request;
    const seen = new SeenTask();
    for (let connections = 0; !seen.settled; connections++) {
      const { id } = seen;
      if (id !== undefined && connections > 0) this.counts.streamsResumed += 1;
      const maxFrames = random() < 4 * CUT ? 1 + Math.floor(random() * 5) : Number.POSITIVE_INFINITY;
      await this.#once(request, (url, cut) =>
        seen.read(
          id === undefined
            ? { url, agent: AGENT, method: "SendStreamingMessage", params: { message: messageOf(request) } }
            : { url, agent: AGENT, method: "SubscribeToTask", params: { id } },
          cut,
          maxFrames,
        ),
      );
    }
    this.#findings.add(seen.faults);
    return { id: seen.id as string, state: seen.state, result: seen.result };
  }

  async #untilSettled(request: LoadRequest, { id }: Seen): Promise<Seen> {
    this.#pending.set(request.number, `polling ${request.text} (${id})`);
    for (;;) {
      const seen = seenOf(await this.#untilAnswered<WireTask>(request, "GetTask", { id }));
      if (!/_(SUBMITTED|WORKING)$/.test(seen.state)) return seen;
      await after(100 + this.#random() * 200);
    }
  }

  async #cancel(request: LoadRequest, id: string): Promise<void> {
    this.#pending.set(request.number, `canceling ${request.text} (${id})`);
    if (request.random() < 0.7) await after(request.random() * 300);
    let tries = 0;
    for (;;) {
      tries += 1;
      try {
        const answered = await this.#once(request, (url, cut) =>
          call<WireTask>({ url, agent: AGENT, method: "CancelTask", params: { id }, cut }),
        );
        if (answered !== undefined) return;
      } catch (error) {
        // An earlier try has canceled it, and its answer was lost.
        if (tries > 1 && error instanceof Refused && error.code === NOT_CANCELABLE) return;
        throw error;
      }
    }
  }

  /** A message that was acknowledged some time ago comes again, as it was or with another body. */
  async #again(): Promise<void> {
    const known = [...this.acknowledged.values()];
    const { request, id } = known[Math.floor(this.#random() * known.length)] as Acknowledged;
    const same = this.#random() < 0.6;
    const message = messageOf(request);
    if (!same) message.parts = [{ text: `${request.text}, or something else` }];
    try {
      const params = { message, configuration: { returnImmediately: true } };
      const { task } = await this.#untilAnswered<{ task: WireTask }>(request, "SendMessage", params);
      this.counts.duplicates += 1;
      if (task.id !== id || !same)
        this.#findings.doubled(`${message.messageId} came again and made ${task.id}, not ${id}`);
    } catch (error) {
      if (same || !(error instanceof Refused) || error.reason !== "MESSAGE_ID_CONFLICT") throw error;
      this.counts.conflicts += 1;
    }
  }

  async #untilAnswered<T>(request: LoadRequest, method: string, params: object): Promise<T> {
    for (;;) {
      const answer = await this.#once(request, (url, cut) => call<T>({ url, agent: AGENT, method, params, cut }));
      if (answer !== undefined) return answer;
    }
  }

  /** One try on some node; undefined when the connection was lost or the daemon asks to come again. */
  async #once<T>(
    { random }: LoadRequest,
    ask: (url: string, cut: Cut | undefined) => Promise<T>,
  ): Promise<T | undefined> {
    if (this.#over) throw new Error("the run is over");
    const url = await this.#nodes.pick(this.#random);
    const cut = random() < CUT ? chooseCut(random) : undefined;
    try {
      return await ask(url, cut);
    } catch (error) {
      if (error instanceof Refused && error.retryable) {
        this.counts.refusals += 1;
        await after(50 + this.#random() * 200);
        return undefined;
      }
      if (!(error instanceof ConnectionLost)) throw error;
      if (error.message === "cut by the client") this.counts.cuts += 1;
      else this.counts.lostConnections += 1;
      await after(5 + this.#random() * 20);
      return undefined;
    }
  }
}

interface Seen {
  id: string;
  state: string;
  result: string;
}

const seenOf = (task: WireTask): Seen => ({ id: task.id, state: task.status.state, result: resultOf(task) });

function messageOf({ messageId, text, contextId }: LoadRequest) {
  return { messageId, role: "ROLE_USER", parts: [{ text }], ...(contextId !== undefined && { contextId }) };
}

function chooseCut(random: () => number): Cut {
  const chance = random();
  if (chance < 0.25) return { at: "request" };
  if (chance < 0.4) return { at: "answer" };
  return { at: "wait", ms: random() * 60 };
}
