import { expect, onTestFinished } from "vitest";
import { type ControlClient, connect } from "../../../src/client/control-client.js";
import { controlSocketPath } from "../../../src/shared/control-socket.js";
import { commandLines } from "../secrets/command-lines.js";
import { canary, plantAllIn, plantKeysIn, plantVariables, secretsIn } from "../secrets/planted.js";
import { type DaemonOptions, daemonDirectory, type Exit, spawnDaemon } from "./daemon-process.js";

/** A daemon in a process of its own, in a directory of its own; both are gone after the test, and have told no secret. */
export interface TestDaemon {
  readonly configFile: string;
  readonly dataDir: string;
  readonly controlSocket: string;
  readonly client: ControlClient;
  /** Of the listener; another one after a restart, since the port is a free one. */
  readonly url: string;
  readonly pid: number;
  /** Resolves with the first line of this process's log that is looked for, whether it was written already or not. */
  logged(isIt: (line: Record<string, unknown>) => boolean): Promise<Record<string, unknown>>;
  /** Ends the process and resolves when it is gone. The client's open calls fail with it. */
  kill(signal: NodeJS.Signals): Promise<Exit>;
  /** Resolves when the current process has ended, whoever ended it. */
  readonly exited: Promise<Exit>;
  /** Starts a new process on the same directory; resolves when it serves. The old one must have ended. */
  restart(): Promise<void>;
  /** The same without waiting: to see what becomes of it while it starts. */
  begin(): void;
  /** Writes a new configuration, for the next start. */
  configure(config: object): void;
}

/**
 * Writes `config` as nuncio.yaml into a new directory and runs `nuncio up` on it. Unless it says otherwise the daemon
 * listens on a free port, lets anonymous callers in and has no console. It ends with the test, or when `whenDone` says.
 */
export async function startDaemon(
  config: object,
  options: DaemonOptions = {},
  whenDone: (end: () => Promise<void>) => void = onTestFinished,
): Promise<TestDaemon> {
  const place = daemonDirectory(config, options);
  const env = { CANARY_SECRET: canary("the environment"), ...options.env };
  plantAllIn(config);
  plantVariables(env);
  const { configFile, dataDir } = place;
  const said: Exit[] = [];
  const begin = () => {
    const begun = spawnDaemon(configFile, { ...options, env });
    void begun.exited.then((exit) => said.push(exit));
    return begun;
  };
  let running = begin();
  whenDone(async () => {
    const shown = commandLines(running.process.pid as number);
    running.process.kill("SIGKILL");
    await running.exited;
    plantKeysIn(dataDir);
    place.remove();
    const texts = [...shown, ...said.flatMap(({ stdout, stderr }) => [stdout, stderr])];
    expect(secretsIn(texts.join("\n")), "R7 secrets in the log or on the command line").toEqual([]);
  });
  let url = await running.serving;

  const controlSocket = controlSocketPath(dataDir);
  return {
    configFile,
    dataDir,
    controlSocket,
    client: connect(controlSocket),
    get url() {
      return url;
    },
    get pid() {
      return running.process.pid as number;
    },
    logged: (isIt) => running.logged(isIt),
    get exited() {
      return running.exited;
    },
    kill(signal) {
      running.process.kill(signal);
      return running.exited;
    },
    async restart() {
      running = begin();
      url = await running.serving;
    },
    begin() {
      running = begin();
    },
    configure(changed) {
      plantAllIn(changed);
      place.write(changed);
    },
  };
}

/** A start that is expected to be refused: resolves with what the process said. */
export async function startRefused(configFile: string, env?: Record<string, string>): Promise<Exit> {
  const { process: child, serving, exited } = spawnDaemon(configFile, { env });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  const url = await serving.catch(() => null);
  if (url !== null) throw new Error(`the daemon serves ${url}, and should have been refused`);
  return exited;
}
