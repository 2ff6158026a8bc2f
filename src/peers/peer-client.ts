import type { AgentClient, Updates } from "../a2a/client/agent-client.js";
import type { CallOptions } from "../a2a/client/bindings/binding.js";
import { invalidAnswer } from "../a2a/client/errors.js";
import type { SendOutcome } from "../a2a/client/outcome.js";
import type { RemoteTask, RemoteUpdate } from "../a2a/client/remote-task.js";
import type { Outgoing } from "../a2a/client/versions/spelling.js";
import { NuncioError } from "../shared/errors.js";
import type { Pin } from "./pin.js";

/** A task of a peer, as it is known from an earlier answer. */
export interface KnownTask {
  taskId: string;
  /** Null when the peer has not told. */
  contextId: string | null;
}

/**
 * A pinned peer, spoken to. Only what was pinned can be asked of it, and an answer about another task than the one that was
 * asked for is none.
 */
export class PeerClient {
  readonly #client: AgentClient;
  readonly #supports: Pin["supports"];

  constructor(client: AgentClient, supports: Pin["supports"]) {
    this.#client = client;
    this.#supports = supports;
  }

  /** Never rejects. An answer that belongs to something else leaves open what has become of the message. */
  async send(outgoing: Outgoing, options: CallOptions = {}): Promise<SendOutcome> {
    const outcome = await this.#client.send(outgoing, options);
    if (outcome.outcome !== "accepted") return outcome;
    const { value } = outcome;
    const got = value.type === "task" ? { taskId: value.task.id, contextId: value.task.contextId } : value;
    const asked = { taskId: outgoing.taskId ?? null, contextId: outgoing.contextId ?? null };
    return sameIds(asked, got) ? outcome : { outcome: "unknown", error: otherTask() };
  }

  async get(known: KnownTask, options: CallOptions & { historyLength?: number } = {}): Promise<RemoteTask> {
    return checked(known, await this.#client.get(known.taskId, options));
  }

  /** @throws NuncioError `unsupported` PEER_CONTROL_NOT_PINNED */
  async cancel(known: KnownTask, options: CallOptions = {}): Promise<RemoteTask> {
    if (!this.#supports.cancel) throw notPinned("cancel");
    return checked(known, await this.#client.cancel(known.taskId, options));
  }

  /** @throws NuncioError `unsupported` PEER_CONTROL_NOT_PINNED */
  async subscribe(known: KnownTask, options: CallOptions = {}): Promise<Updates> {
    if (!this.#supports.streaming) throw notPinned("streaming");
    return checkedUpdates(known, await this.#client.subscribe(known.taskId, options));
  }
}

async function* checkedUpdates(known: KnownTask, updates: Updates): Updates {
  for await (const update of updates) {
    if (!sameIds(known, idsOf(update))) throw otherTask();
    yield update;
  }
}

const idsOf = (update: RemoteUpdate): Ids =>
  update.type === "task" ? { taskId: update.task.id, contextId: update.task.contextId } : update;

function checked(known: KnownTask, task: RemoteTask): RemoteTask {
  if (!sameIds(known, { taskId: task.id, contextId: task.contextId })) throw otherTask();
  return task;
}

interface Ids {
  taskId: string | null;
  contextId: string | null;
}

/** What one side does not name cannot differ. */
const sameIds = (asked: Ids, got: Ids): boolean =>
  same(asked.taskId, got.taskId) && same(asked.contextId, got.contextId);

const same = (a: string | null, b: string | null): boolean => a === null || b === null || a === b;

const otherTask = (): NuncioError => invalidAnswer("it is about another task than the one that was asked for");

const notPinned = (control: keyof Pin["supports"]): NuncioError =>
  new NuncioError("unsupported", `the pin of this peer does not say that it supports ${control}`, {
    reason: "PEER_CONTROL_NOT_PINNED",
    hint: `review it, and pin the peer anew with --supports-${control}`,
  });
