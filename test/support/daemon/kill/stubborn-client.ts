import { expect } from "vitest";
import { A2aError, cancelTask, sendMessage, type WireMessage, type WireTask } from "../a2a.js";
import type { TestDaemon } from "../start-daemon.js";
import { KINDS, type Kind, WORKERS } from "./requests.js";

/** A request whose task the daemon has acknowledged. */
export interface Acknowledged {
  id: string;
  kind: Kind;
  text: string;
}

const NOT_CANCELABLE = -32002;

/** An A2A client that repeats what it has to say, under the same message id, until the daemon has answered. */
export class StubbornClient {
  /** The process that serves, or the promise of the next one. */
  #life: Promise<{ url: string; over: Promise<unknown> }> = new Promise(() => {});
  #begin: (life: { url: string; over: Promise<unknown> }) => void = () => {};
  #onAnswer: () => void = () => {};

  constructor(daemon: TestDaemon) {
    this.suspend();
    this.resume(daemon);
  }

  /** The daemon is about to be killed: who wants to send waits for the next one. */
  suspend(): void {
    this.#life = new Promise((resolve) => {
      this.#begin = resolve;
    });
  }

  resume({ url, exited }: TestDaemon): void {
    this.#begin({ url, over: exited });
  }

  /** Resolves with the next answer to any of the requests. */
  answered(): Promise<void> {
    return new Promise((resolve) => {
      this.#onAnswer = resolve;
    });
  }

  /** Does all that the request of this number consists of; resolves when the last of it is acknowledged. */
  async request(number: number, chance: number): Promise<Acknowledged> {
    const [name, kind] = pick(Object.entries(KINDS), number);
    const text = `${name} ${pick(WORKERS, number)} ${number}`;
    const message: WireMessage = {
      text,
      messageId: `message-${number}`,
      returnImmediately: kind.next !== "answer",
      // A third of them share a few conversations, whose tasks run one after another.
      ...(number % 3 === 0 && { contextId: `context-${number % 4}` }),
    };
    // A few are sent twice at the same time.
    const sent = [this.#send(message), ...(chance < 0.2 ? [this.#send(message)] : [])];
    const tasks = await Promise.all(sent);
    expect(new Set(tasks.map(({ id }) => id)).size, `tasks of ${message.messageId}`).toBe(1);
    const { id, status } = tasks[0] as WireTask;
    if (kind.next === "cancel") await this.#cancel(id);
    if (kind.next === "answer") {
      expect(status.state, text).toBe("TASK_STATE_INPUT_REQUIRED");
      const answered = await this.#send({ text, taskId: id, messageId: `answer-${number}` });
      expect(answered.status.state, text).toBe("TASK_STATE_COMPLETED");
    }
    return { id, kind, text };
  }

  #send(message: WireMessage): Promise<WireTask> {
    return this.#untilAnswered((url) => sendMessage(url, "front", message));
  }

  async #cancel(id: string): Promise<void> {
    let tries = 0;
    await this.#untilAnswered(async (url) => {
      tries += 1;
      try {
        await cancelTask(url, "front", id);
      } catch (error) {
        // An earlier try has canceled it, and its answer was lost.
        if (tries > 1 && error instanceof A2aError && error.code === NOT_CANCELABLE) return;
        throw error;
      }
    });
  }

  async #untilAnswered<T>(ask: (url: string) => Promise<T>): Promise<T> {
    for (;;) {
      const { url, over } = await this.#life;
      try {
        const answer = await ask(url);
        this.#onAnswer();
        return answer;
      } catch (error) {
        if (error instanceof A2aError) throw error;
        // The connection was cut: whether it was done is for the next try to find out.
        await over;
      }
    }
  }
}

const pick = <T>(list: readonly T[], number: number): T => list[number % list.length] as T;
