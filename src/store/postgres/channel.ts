import pg from "pg";
import { backoff } from "../../shared/backoff.js";
import { newId } from "../../shared/ids.js";
import type { TaskChange, TaskKey } from "../../tasks/ledger.js";
import type { TaskState } from "../../tasks/task-state.js";

/** What happens in this time is announced together. */
const COALESCE_MS = 10;
/** The server takes less than 8000 bytes at once. */
const LARGEST_PAYLOAD = 7800;
/** As the safety net, it is assumed so often that something was missed. */
const MISSED_EVERY_MS = 5000;
const RECONNECT_BASE_MS = 100;
const RECONNECT_MAX_MS = 5000;

/** What nodes tell each other: ids and where things stand, never what is in them. */
type Word =
  | ["change", string, string, string, string, TaskState, number, 0 | 1, number, number | null]
  | ["key", string]
  | ["stopped", string, string]
  /** The sender could not announce for a while. */
  | ["missed"];

export interface ChannelListener {
  changes(changes: readonly TaskChange[]): void;
  keyRevoked(keyId: string): void;
  stopped(task: TaskKey): void;
  missed(): void;
}

/**
 * The way from node to node: one connection that listens and announces. Nothing depends on it but speed. What is
 * announced while it is down is lost, and afterwards everybody looks for themselves, as they do now and then anyway.
 */
export class Channel {
  readonly #config: pg.ClientConfig;
  readonly #name: string;
  readonly #letIn: (client: pg.Client) => Promise<void>;
  readonly #listener: ChannelListener;
  readonly #node = newId();
  #client: pg.Client | undefined;
  #words = new Map<string, Word>();
  #sending: NodeJS.Timeout | undefined;
  #sent: Promise<void> = Promise.resolve();
  #reconnecting: NodeJS.Timeout | undefined;
  #failures = 0;
  #closed = false;
  readonly #poll: NodeJS.Timeout;

  /** @param letIn what is asked of each new connection before it is used; rejects when it is not to be */
  constructor(
    config: pg.ClientConfig,
    name: string,
    letIn: (client: pg.Client) => Promise<void>,
    listener: ChannelListener,
  ) {
    this.#config = config;
    this.#name = name;
    this.#letIn = letIn;
    this.#listener = listener;
    this.#poll = setInterval(() => this.#listener.missed(), MISSED_EVERY_MS);
  }

  /** Resolves when this node listens; rejects when it cannot. */
  async open(): Promise<void> {
    const client = new pg.Client(this.#config);
    const lost = () => this.#onLost(client);
    client.on("error", lost);
    client.on("end", lost);
    client.on("notification", ({ payload }) => this.#onPayload(payload ?? ""));
    try {
      await client.connect();
      await this.#letIn(client);
      await client.query(`LISTEN ${client.escapeIdentifier(this.#name)}`);
    } catch (error) {
      client.end().catch(() => {});
      throw error;
    }
    if (this.#closed) return void client.end().catch(() => {});
    this.#client = client;
    this.#failures = 0;
  }

  announceChanges(changes: readonly TaskChange[]): void {
    for (const { tenant, taskId, rootId = "", persona, state, seq, runnable, runAt, wakeAt } of changes) {
      // Of several changes of one task only where it stands in the end is of use.
      const word: Word = ["change", tenant, taskId, rootId, persona, state, seq, runnable ? 1 : 0, runAt, wakeAt];
      this.#say(`change/${tenant}/${taskId}`, word);
    }
  }

  announceKey = (keyId: string): void => this.#say(`key/${keyId}`, ["key", keyId]);

  announceStopped = ({ tenant, taskId }: TaskKey): void =>
    this.#say(`stopped/${tenant}/${taskId}`, ["stopped", tenant, taskId]);

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#poll);
    clearTimeout(this.#reconnecting);
    clearTimeout(this.#sending);
    await this.#send();
    await this.#client?.end().catch(() => {});
  }

  #say(key: string, word: Word): void {
    // The latest word about something takes the last place, so that order holds.
    this.#words.delete(key);
    this.#words.set(key, word);
    this.#sending ??= setTimeout(() => void this.#send(), COALESCE_MS);
  }

  /** One after another: what comes up meanwhile goes together with the next. */
  #send(): Promise<void> {
    this.#sending = undefined;
    this.#sent = this.#sent.then(() => this.#sendWords());
    return this.#sent;
  }

  async #sendWords(): Promise<void> {
    const words = [...this.#words.values()];
    this.#words.clear();
    const client = this.#client;
    if (client === undefined || words.length === 0) return;
    try {
      await client.query("SELECT pg_notify($1, payload) FROM unnest(CAST($2 AS text[])) AS payload", [
        this.#name,
        payloadsOf(this.#node, words),
      ]);
    } catch {
      // The connection says so itself, and whoever listens is told to look when it is there again.
    }
  }

  #onPayload(payload: string): void {
    const words = wordsOf(payload, this.#node);
    const changes: TaskChange[] = [];
    for (const word of words) {
      switch (word[0]) {
        case "change":
          changes.push(toChange(word));
          break;
        case "key":
          this.#listener.keyRevoked(word[1]);
          break;
        case "stopped":
          this.#listener.stopped({ tenant: word[1], taskId: word[2] });
          break;
        case "missed":
          this.#listener.missed();
          break;
      }
    }
    if (changes.length > 0) this.#listener.changes(changes);
  }

  #onLost(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    client.end().catch(() => {});
    this.#reconnect();
  }

  #reconnect(): void {
    if (this.#closed) return;
    this.#failures += 1;
    const wait = backoff(this.#failures, RECONNECT_BASE_MS, RECONNECT_MAX_MS);
    this.#reconnecting = setTimeout(async () => {
      try {
        await this.open();
      } catch {
        return this.#reconnect();
      }
      this.#listener.missed();
      this.#say("missed", ["missed"]);
    }, wait);
  }
}

const toChange = ([, tenant, taskId, rootId, persona, state, seq, runnable, runAt, wakeAt]: Word & {
  0: "change";
}): TaskChange => ({ tenant, taskId, rootId, persona, state, seq, runnable: runnable === 1, runAt, wakeAt });

/** As many words in one payload as fit. */
function payloadsOf(node: string, words: readonly Word[]): string[] {
  const payloads: string[] = [];
  const head = `["${node}"`;
  let payload = head;
  for (const word of words) {
    const text = `,${JSON.stringify(word)}`;
    if (payload.length > head.length && Buffer.byteLength(payload) + Buffer.byteLength(text) > LARGEST_PAYLOAD) {
      payloads.push(`${payload}]`);
      payload = head;
    }
    payload += text;
  }
  payloads.push(`${payload}]`);
  return payloads;
}

/** Nothing of our own, and nothing of whoever else uses the channel. */
function wordsOf(payload: string, ownNode: string): Word[] {
  try {
    const [node, ...words] = JSON.parse(payload) as [string, ...Word[]];
    return node === ownNode ? [] : words.filter(Array.isArray);
  } catch {
    return [];
  }
}
