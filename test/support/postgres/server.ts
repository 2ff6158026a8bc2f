import { once } from "node:events";
import { closeSync, openSync, readFileSync } from "node:fs";
import { setTimeout as after } from "node:timers/promises";
import { Client } from "pg";
import { Caretaker } from "./caretaker.js";
import { type Cluster, createCluster, USER } from "./cluster.js";
import { freePort } from "./free-port.js";

export interface PostgresOptions {
  /**
   * True unless told otherwise: what was committed survives a crash of the machine. False is for suites that make
   * many databases and prove nothing about durability.
   */
  durable?: boolean;
  /** Further settings of postgresql.conf. */
  settings?: Record<string, string | number>;
}

/** How a server is told to stop: `fast` cuts connections and ends in order, `immediate` ends like a crash. */
export type StopMode = "fast" | "immediate";

/** A PostgreSQL server of our own, on a free port, with everything that it has written in a directory of /tmp. */
export interface PostgresServer {
  /** Of a role that may do anything, on the database `postgres`; the same after a restart. */
  readonly url: string;
  /** Of the process that has started all others. Undefined while the server is stopped. */
  readonly pid: number | undefined;
  /** Runs SQL as the operator of the server would. */
  query(text: string, values?: readonly unknown[]): Promise<Record<string, unknown>[]>;
  stop(mode: StopMode): Promise<void>;
  /** Resolves when connections are accepted. */
  start(): Promise<void>;
  /** Stops the main process and all that serve connections, so that nothing is answered and no connection is closed. */
  suspend(): Promise<void>;
  resume(): void;
  /** Cuts every connection but ours, as an operator or a failover would. Resolves with how many there were. */
  cutConnections(): Promise<number>;
  /** Ends the server, and removes what it has left on the disk. It also goes when this process ends, however that ends. */
  remove(): Promise<void>;
}

const FAST_NOT_SAFE = { fsync: "off", synchronous_commit: "off", full_page_writes: "off" };
const TRIES = 3;
const START_MS = 30_000;

export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const cluster = createCluster();
  const caretaker = new Caretaker(cluster.directory);
  try {
    // Somebody else may take the port between our looking and the server's.
    for (let left = TRIES; ; left--) {
      const server = new Server(cluster, caretaker, await freePort(), options);
      try {
        await server.start();
        return server;
      } catch (error) {
        if (left === 1 || !/Address already in use/.test(String(error))) throw error;
      }
    }
  } catch (error) {
    await caretaker.clearUp();
    throw error;
  }
}

class Server implements PostgresServer {
  readonly url: string;
  readonly #cluster: Cluster;
  readonly #caretaker: Caretaker;
  readonly #args: string[];
  #process: ReturnType<Cluster["spawn"]> | undefined;
  #suspended: number[] = [];

  constructor(
    cluster: Cluster,
    caretaker: Caretaker,
    port: number,
    { durable = true, settings = {} }: PostgresOptions,
  ) {
    this.#cluster = cluster;
    this.#caretaker = caretaker;
    this.url = `postgres://${USER}:${cluster.password}@127.0.0.1:${port}/postgres`;
    const all = {
      listen_addresses: "127.0.0.1",
      port,
      unix_socket_directories: cluster.directory,
      max_connections: 200,
      shared_buffers: "64MB",
      ...(durable ? {} : FAST_NOT_SAFE),
      ...settings,
    };
    this.#args = ["-D", cluster.dataDir, ...Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
  }

  get pid(): number | undefined {
    return this.#process?.pid;
  }

  async start(): Promise<void> {
    const log = openSync(this.#cluster.logFile, "a");
    // A group of its own: Ctrl-C is for us, and what we still have to do needs the server.
    const child = this.#cluster.spawn("postgres", this.#args, { stdio: ["ignore", log, log], detached: true });
    closeSync(log);
    child.unref();
    const ended = once(child, "exit");
    child.once("exit", () => {
      if (this.#process === child) this.#process = undefined;
    });
    this.#process = child;
    const deadline = performance.now() + START_MS;
    while (!(await this.#answers())) {
      if (this.#process === undefined || performance.now() > deadline) {
        child.kill("SIGQUIT");
        await ended;
        throw new Error(`PostgreSQL does not start:\n${readFileSync(this.#cluster.logFile, "utf8")}`);
      }
      await after(20);
    }
  }

  async #answers(): Promise<boolean> {
    try {
      await this.query("SELECT 1");
      return true;
    } catch {
      return false;
    }
  }

  async query(text: string, values: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    const client = new Client({ connectionString: this.url });
    // Told of by the query, too.
    client.on("error", () => {});
    try {
      await client.connect();
      return (await client.query(text, [...values])).rows;
    } finally {
      await client.end();
    }
  }

  async stop(mode: StopMode): Promise<void> {
    const child = this.#process;
    if (child === undefined) return;
    const ended = once(child, "exit");
    child.kill(mode === "fast" ? "SIGINT" : "SIGQUIT");
    this.resume();
    await ended;
  }

  async suspend(): Promise<void> {
    const rows = await this.query("SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()");
    const { pid } = this;
    if (pid === undefined) throw new Error("the server does not run");
    // The main process first, so that nobody connects in between.
    for (const each of [pid, ...rows.map((row) => Number(row.pid))]) {
      try {
        process.kill(each, "SIGSTOP");
        this.#suspended.push(each);
      } catch {
        // That connection has been closed meanwhile.
      }
    }
  }

  resume(): void {
    for (const pid of this.#suspended.splice(0)) {
      try {
        process.kill(pid, "SIGCONT");
      } catch {
        // It was killed while it stood still.
      }
    }
  }

  async cutConnections(): Promise<number> {
    const rows = await this.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'",
    );
    return rows.length;
  }

  async remove(): Promise<void> {
    this.resume();
    await this.#caretaker.clearUp();
  }
}
