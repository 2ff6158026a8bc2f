import { EventEmitter, once } from "node:events";
import { setTimeout as after } from "node:timers/promises";
import { type ControlClient, connect } from "../../src/client/control-client.js";
import { controlSocketPath } from "../../src/shared/control-socket.js";
import {
  type DaemonDirectory,
  type DaemonProcess,
  daemonDirectory,
  type Exit,
  type SpawnOptions,
  spawnDaemon,
} from "../../test/support/daemon/daemon-process.js";

import type { Findings } from "../findings.js";

const MOST_STARTS = 50;

/** A daemon that dies and comes back: one directory, one process after another. */
export class Node {
  readonly place: DaemonDirectory;
  readonly dataDir: string;
  /** What its processes have logged, each when it has ended. */
  readonly log: string[] = [];
  readonly client: ControlClient;
  readonly #options: SpawnOptions;
  readonly #watcher: NodeWatcher;
  #running: DaemonProcess | undefined;
  /** The process that we have ended, or asked to end. */
  #told: DaemonProcess | undefined;
  #url: string | undefined;

  constructor(config: object, options: SpawnOptions, watcher: NodeWatcher) {
    this.place = daemonDirectory(config);
    this.dataDir = (config as { dataDir?: string }).dataDir ?? this.place.dataDir;
    this.client = connect(controlSocketPath(this.dataDir));
    this.#options = options;
    this.#watcher = watcher;
  }

  /** Undefined while it does not serve. */
  get url(): string | undefined {
    return this.#url;
  }

  get process(): DaemonProcess {
    if (this.#running === undefined) throw new Error("it was never started");
    return this.#running;
  }

  /** The lines of the logs of all its processes, so far. */
  said(): readonly string[] {
    return [...this.log.flatMap((log) => log.split("\n")), ...(this.#running?.said() ?? [])];
  }

  /** Starts a process without waiting for it. */
  begin(): void {
    const running = spawnDaemon(this.place.configFile, this.#options);
    let served = false;
    this.#running = running;
    running.serving.then(
      (url) => {
        served = true;
        if (this.#running !== running) return;
        this.#url = url;
        this.#watcher.serves();
      },
      () => {},
    );
    void running.exited.then(({ signal, code, stderr }) => {
      if (this.#running === running) this.#url = undefined;
      this.log.push(`${stderr}\n=== process ${running.process.pid} ended: ${signal ?? code}`);
      if (this.#told === running || !served) return;
      this.#watcher.hasDied(stderr.slice(-2000));
      // What comes of it all is looked at nevertheless.
      if (this.#running === running) this.begin();
    });
  }

  /** Resolves when it serves. It is started again as long as its database is not there, as a supervisor would. */
  async start(): Promise<void> {
    for (let tries = 1; ; tries++) {
      this.begin();
      try {
        await this.process.serving;
        return;
      } catch (error) {
        if (tries === MOST_STARTS || !/PostgreSQL at \S+ cannot be used/.test(String(error))) throw error;
        await after(200);
      }
    }
  }

  signal(signal: NodeJS.Signals): void {
    if (signal !== "SIGSTOP" && signal !== "SIGCONT") this.#told = this.#running;
    this.process.process.kill(signal);
  }

  /** Ends the process and resolves when it is gone. */
  async kill(signal: NodeJS.Signals = "SIGKILL"): Promise<Exit> {
    this.signal(signal);
    return this.process.exited;
  }

  async remove(): Promise<void> {
    if (this.#running !== undefined) await this.kill();
    this.place.remove();
  }
}

interface NodeWatcher {
  serves(): void;
  /** It ended without having been told to. */
  hasDied(lastWords: string): void;
}

/** The daemons of one run. */
export class Nodes {
  readonly all: readonly Node[];
  readonly #events = new EventEmitter().setMaxListeners(0);

  constructor(configs: readonly object[], findings: Findings, options: SpawnOptions = {}) {
    const watcher: NodeWatcher = {
      serves: () => this.#events.emit("serving"),
      hasDied: (lastWords) => findings.lost(`a daemon has died by itself: ${lastWords}`),
    };
    this.all = configs.map((config) => new Node(config, options, watcher));
  }

  async start(): Promise<void> {
    await Promise.all(this.all.map((node) => node.start()));
  }

  /** The URL of some node that serves; waits for one where there is none. */
  async pick(random: () => number): Promise<string> {
    for (;;) {
      const serving = this.all.flatMap(({ url }) => url ?? []);
      const url = serving[Math.floor(random() * serving.length)];
      if (url !== undefined) return url;
      await once(this.#events, "serving");
    }
  }

  /** Waits until nothing is left to do, as the daemons say; what is left after that is for the findings. */
  async untilIdle(patienceMs: number, findings: Findings): Promise<void> {
    const giveUpAt = Date.now() + patienceMs;
    for (;;) {
      const serving = this.all.find(({ url }) => url !== undefined);
      const status = await serving?.client.status();
      const left = status?.tasks ?? undefined;
      if (left !== undefined && left.pending + left.processing + left.waiting === 0) break;
      if (Date.now() > giveUpAt) return findings.stuck(`in the end there was left: ${JSON.stringify(left)}`);
      await after(200);
    }
    // What a node has committed is known to all before the node itself may hear of it, and ends the run.
    for (const { client } of this.all) {
      let { slots } = await client.status();
      while (slots.used > 0 && Date.now() < giveUpAt) {
        await after(50);
        ({ slots } = await client.status());
      }
      if (slots.used > 0) findings.stuck(`nothing runs, and ${slots.used} slots are taken`);
    }
  }

  async remove(): Promise<void> {
    await Promise.all(this.all.map((node) => node.remove()));
  }
}
