import { chmodSync } from "node:fs";
import { loadConfig } from "../config/load-config.js";
import { systemClock } from "../shared/clock.js";
import { controlSocketPath } from "../shared/control-socket.js";
import { escapeDangerous } from "../shared/dangerous-characters.js";
import { NuncioError } from "../shared/errors.js";
import { makeDirectory } from "../shared/make-directory.js";
import { lockDirectory } from "../store/sqlite/directory-lock.js";
import { createLogger } from "../telemetry/logger.js";
import { composeDaemon } from "./compose.js";
import { type GrpcListener, openGrpc } from "./grpc.js";
import { listenRefusal } from "./listen-refusal.js";
import { logLevel } from "./log-level.js";
import { openLedger } from "./open-ledger.js";
import { openSealing, warnOfLostKeys } from "./sealing.js";

export interface DaemonOptions {
  configFile: string;
  env: NodeJS.ProcessEnv;
  /** Serve a ledger although it was moved elsewhere. */
  useMovedLedger?: boolean;
  /** Absolute path of the registry of peers; without it nobody is called as a peer. */
  peersFile?: string | undefined;
  /** Absolute path of the file of the listener for peers; without it none is let in. */
  listenerFile?: string | undefined;
  /** Called once, when everything listens. */
  onReady(url: string): void;
}

/** What is being told to a receiver gets so long; then it is told again after the next start. */
const PUSH_DRAIN_MS = 2000;

/**
 * Runs a daemon until SIGTERM or SIGINT, and resolves with its exit code. Reads top to bottom: what is started first
 * is stopped last.
 */
export async function runDaemon(options: DaemonOptions): Promise<number> {
  const { configFile, env, useMovedLedger, peersFile = null, listenerFile = null, onReady } = options;
  const { config, personas, warnings } = await loadConfig(configFile, env);
  const logger = createLogger(logLevel(env), escapeDangerous);
  for (const { file, line, column, path, message } of warnings) logger.warn({ file, line, column, path }, message);

  if (config.mode === "production" && config.server.publicBaseUrl === undefined) {
    logger.warn("no agent card is served: in production cards need server.publicBaseUrl, the URL that clients use");
  }

  const controlSocket = controlSocketPath(config.dataDir);
  makeDataDirectory(config.dataDir);
  const lock = lockDirectory(config.dataDir);
  // From here on there is something to end in order. Before, the system's own way of ending us is the right one.
  const stopped = stopSignal();
  const hangUps = onHangUp();
  try {
    const sealing = openSealing(config, systemClock);
    const ledger = await openLedger(config, systemClock, useMovedLedger);
    if (ledger.movedTo !== null) {
      logger.warn(
        { movedTo: ledger.movedTo.place },
        "this ledger was moved and is served nevertheless, as was asked for",
      );
    }
    const load = () => loadConfig(configFile, env);
    const daemon = composeDaemon({
      ...{ config, personas, load, env, peersFile, listenerFile, ledger, sealing, logger },
    });
    let grpc: GrpcListener | null = null;
    try {
      await daemon.access.load();
      await daemon.peers.load();
      await daemon.admission.load();
      await warnOfLostKeys(ledger.database, sealing, logger);
      await daemon.control.listen(controlSocket);
      const { port } = await daemon.http.listen().catch((error) => {
        throw listenRefusal(error, config.server);
      });
      const url = `http://${config.server.host.includes(":") ? `[${config.server.host}]` : config.server.host}:${port}`;
      grpc = await openGrpc(daemon.edge, () => daemon.reload.config);
      daemon.setListeners({ http: url, grpc: grpc?.address ?? null });
      await daemon.admission.listen();
      daemon.worker.start();
      daemon.retention.start();
      daemon.pushSender.start();
      const { dataDir, mode } = config;
      logger.info({ url, grpc: grpc?.address, dataDir, personas: personas.length, mode }, "serving");
      onReady(url);
      hangUps.call(() => void daemon.reload.runLogged());
      await daemon.control.warmUp();

      const signal = await stopped;
      logger.info({ signal }, "stopping: running work gets a moment to finish, then goes back to the queue");
    } finally {
      daemon.reload.stop();
      await daemon.retention.stop();
      await daemon.worker.drain(daemon.reload.config.queue.drainMs);
      daemon.edge.close();
      daemon.admission.end();
      await Promise.all([daemon.http.close(), grpc?.close(), daemon.admission.close()]);
      await daemon.control.close();
      await daemon.pushSender.stop(PUSH_DRAIN_MS);
      await daemon.closeLedger();
    }
  } finally {
    hangUps.stop();
    lock.release();
  }
  logger.info("stopped");
  return 0;
}

function makeDataDirectory(path: string): void {
  try {
    makeDirectory(path, 0o700);
    chmodSync(path, 0o700);
  } catch (cause) {
    throw new NuncioError("invalid_argument", `the data directory ${path} cannot be used`, {
      field: "dataDir",
      hint: "set dataDir to a directory that this user may create and write",
      cause,
    });
  }
}

/** Resolves at the first signal that asks the process to stop. A second one ends it at once: the ledger can take that. */
function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const stop = (signal: NodeJS.Signals) => resolve(signal);
    process.once("SIGTERM", stop);
    process.once("SIGINT", stop);
  });
}

/** SIGHUP asks for the configuration to be loaded anew. One that comes while we start is heard when we have. */
function onHangUp(): { call(listener: () => void): void; stop(): void } {
  let heard = false;
  let tell = () => {
    heard = true;
  };
  const listener = () => tell();
  process.on("SIGHUP", listener);
  return {
    call(listener) {
      tell = listener;
      if (heard) tell();
    },
    stop: () => process.off("SIGHUP", listener),
  };
}
