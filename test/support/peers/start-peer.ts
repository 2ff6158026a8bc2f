import { type ChildProcess, spawn } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import type { ArrivedRequest, PeerEvent } from "./peer-event.js";

const TYPESCRIPT = new URL("../../../faults/typescript.mjs", import.meta.url).href;
const programFile = (name: PeerProgramName) => fileURLToPath(new URL(`../programs/${name}.ts`, import.meta.url));

export type PeerProgramName = "hermes-peer" | "openclaw-peer";

/** What was asked of a peer by a method of JSON-RPC. */
export type ArrivedCall = ArrivedRequest & { call: NonNullable<ArrivedRequest["call"]> };

/** A peer in a process of its own, which tells what reaches it. */
export class PeerProgram {
  readonly events: PeerEvent[] = [];
  readonly #name: PeerProgramName;
  readonly #args: readonly string[];
  readonly #told = new EventEmitter();
  #child: ChildProcess | undefined;
  port = 0;

  private constructor(name: PeerProgramName, args: readonly string[]) {
    this.#name = name;
    this.#args = args;
  }

  static async start(name: PeerProgramName, args: readonly string[]): Promise<PeerProgram> {
    const peer = new PeerProgram(name, args);
    await peer.#begin();
    return peer;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get endpoint(): string {
    return `${this.origin}/a2a`;
  }

  get cardUrl(): string {
    return `${this.origin}/.well-known/agent-card.json`;
  }

  /** What it was asked by JSON-RPC, oldest first; by one method, when it is named. */
  calls(method?: string): ArrivedCall[] {
    return this.events.filter(
      (event): event is ArrivedCall =>
        event.type === "request" && event.call !== null && (method === undefined || event.call.method === method),
    );
  }

  /** Every byte that reached it, connection by connection. */
  wire(): Buffer {
    const connections = new Map<number, Buffer[]>();
    for (const event of this.events) {
      if (event.type !== "bytes") continue;
      const pieces = connections.get(event.connection) ?? [];
      connections.set(event.connection, pieces);
      pieces.push(Buffer.from(event.base64, "base64"));
    }
    return Buffer.concat([...connections.values()].flat());
  }

  order(order: object): void {
    this.#child?.stdin?.write(`${JSON.stringify(order)}\n`);
  }

  /** Resolves with the first event that is looked for, whether it has been told already or not. */
  async until<T extends PeerEvent>(isIt: (event: PeerEvent) => event is T): Promise<T>;
  async until(isIt: (event: PeerEvent) => boolean): Promise<PeerEvent>;
  async until(isIt: (event: PeerEvent) => boolean): Promise<PeerEvent> {
    for (;;) {
      const found = this.events.find(isIt);
      if (found !== undefined) return found;
      await once(this.#told, "event");
    }
  }

  async untilCalls(method: string, count: number): Promise<ArrivedCall[]> {
    while (this.calls(method).length < count) await once(this.#told, "event");
    return this.calls(method);
  }

  /** Ends the process, and with it what it knew; it begins anew on the same port. */
  async restart(): Promise<void> {
    await this.stop();
    await this.#begin();
  }

  async stop(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "close");
    child.kill("SIGKILL");
    await gone;
    alive.delete(child);
  }

  async #begin(): Promise<void> {
    const args = ["--import", TYPESCRIPT, programFile(this.#name), "--port", String(this.port), ...this.#args];
    const child = spawn(process.execPath, args, {
      stdio: ["pipe", "pipe", "inherit"],
      env: { PATH: process.env.PATH },
    });
    this.#child = child;
    alive.add(child);
    const listening = new Promise<number>((resolve, reject) => {
      createInterface(child.stdout as Readable).on("line", (line) => {
        const event: PeerEvent = JSON.parse(line);
        if (event.type === "listening") resolve(event.port);
        this.events.push(event);
        this.#told.emit("event");
      });
      child.once("exit", (code) => reject(new Error(`${this.#name} ended with ${code}`)));
    });
    this.port = await listening;
  }
}

/** What runs, should the test run itself be ended: nothing outlives it. */
const alive = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of alive) child.kill("SIGKILL");
});
