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

/** A daemon that dies and comes back: one directory, one process after another. */
export class Node {
  readonly place: DaemonDirectory;
  readonly dataDir: string;
  readonly client: ControlClient;
  readonly #options: SpawnOptions;
  readonly #changed: () => void;
  #running: DaemonProcess | undefined;
  #url: string | undefined;

  constructor(config: object, options: SpawnOptions = {}, changed: () => void = () => {}) {
    this.place = daemonDirectory(config);
    this.dataDir = (config as { dataDir?: string }).dataDir ?? this.place.dataDir;
    this.client = connect(controlSocketPath(this.dataDir));
    this.#options = options;
    this.#changed = changed;
  }

  /** Undefined while it does not serve. */
  get url(): string | undefined {
    return this.#url;
  }

  get process(): DaemonProcess {
    if (this.#running === undefined) throw new Error("it was never started");
    return this.#running;
  }

  /** Starts a process without waiting for it. */
  begin(): void {
    const running = spawnDaemon(this.place.configFile, this.#options);
    this.#running = running;
    running.serving.then(
      (url) => {
        if (this.#running !== running) return;
        this.#url = url;
        this.#changed();
      },
      () => {},
    );
    void running.exited.then(() => {
      if (this.#running === running) this.#url = undefined;
    });
  }

  async start(): Promise<void> {
    this.begin();
    await this.process.serving;
  }

  signal(signal: NodeJS.Signals): void {
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

/** The daemons of one run. */
export class Nodes {
  readonly all: readonly Node[];
  readonly #events = new EventEmitter().setMaxListeners(0);

  constructor(configs: readonly object[], options: SpawnOptions = {}) {
    this.all = configs.map((config) => new Node(config, options, () => this.#events.emit("serving")));
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
      const left = (await serving?.client.status())?.tasks ?? undefined;
      if (left !== undefined && left.pending + left.processing + left.waiting === 0) return;
      if (Date.now() > giveUpAt) return findings.stuck(`in the end there was left: ${JSON.stringify(left)}`);
      await after(200);
    }
  }

  async remove(): Promise<void> {
    await Promise.all(this.all.map((node) => node.remove()));
  }
}
