import { EventEmitter, once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface PeerCall {
  method: string;
  params: { message?: { messageId: string; taskId?: string; parts: { text?: string; filename?: string }[] } };
  authorized: boolean;
}

interface PeerTask {
  state: string;
  said?: string;
  artifacts?: object[];
}

/**
 * A peer that can be stopped at one step: whoever asks for that gets no answer, and may die waiting. `card` stands for the
 * card. It has one task, which is in whatever state the test says.
 */
export class StallingPeer {
  readonly calls: PeerCall[] = [];
  stalls: string | null = null;
  /** Methods that it refuses. */
  refuses: string | null = null;
  /** What it answers with in place of a task. */
  message: string | null = null;
  task: PeerTask = { state: "TASK_STATE_WORKING" };
  readonly #token: string;
  readonly #arrived = new EventEmitter();
  #server: Server | undefined;

  constructor(token: string) {
    this.#token = token;
  }

  async listen(): Promise<void> {
    this.#server = createServer((request, response) => {
      let body = "";
      request.on("data", (piece) => {
        body += piece;
      });
      request.on("end", () => {
        const call = request.method === "POST" ? JSON.parse(body) : { method: "card" };
        const authorized = request.headers.authorization === `Bearer ${this.#token}`;
        this.calls.push({ method: call.method, params: call.params ?? {}, authorized });
        this.#arrived.emit("call");
        if (this.stalls === call.method) return;
        const answer = call.method === "card" ? this.card() : { jsonrpc: "2.0", id: call.id, ...this.#answer(call) };
        response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
      });
    });
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
  }

  get origin(): string {
    return `http://127.0.0.1:${((this.#server as Server).address() as AddressInfo).port}`;
  }

  /** The work that has arrived, repeated or not. */
  get sent(): PeerCall[] {
    return this.calls.filter(({ method }) => method === "SendMessage");
  }

  card(): Record<string, unknown> {
    return {
      name: "Stalling",
      description: "answers when it is let",
      version: "1",
      supportedInterfaces: [{ url: `${this.origin}/a2a`, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
      capabilities: { streaming: false },
      defaultInputModes: ["text/plain"],
      defaultOutputModes: ["text/plain"],
      skills: [{ id: "review", name: "Review", description: "Reviews", tags: ["review"] }],
    };
  }

  /** Resolves when so many calls of the method have arrived, in all. */
  async until(method: string, count = 1): Promise<PeerCall[]> {
    for (;;) {
      const calls = this.calls.filter((call) => call.method === method);
      if (calls.length >= count) return calls;
      await once(this.#arrived, "call");
    }
  }

  #answer({ method }: PeerCall): object {
    if (this.refuses === method) return { error: { code: -32004, message: "not offered" } };
    if (method === "SendMessage" && this.message !== null) {
      return { result: { message: { messageId: "a", role: "ROLE_AGENT", parts: [{ text: this.message }] } } };
    }
    if (method === "CancelTask") this.task = { state: "TASK_STATE_CANCELED" };
    const { state, said, artifacts = [] } = this.task;
    const message =
      said === undefined ? {} : { message: { messageId: "q", role: "ROLE_AGENT", parts: [{ text: said }] } };
    const task = { id: "remote-1", contextId: "remote-c", status: { state, ...message }, artifacts };
    return { result: method === "SendMessage" ? { task } : task };
  }

  async close(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve));
  }
}
