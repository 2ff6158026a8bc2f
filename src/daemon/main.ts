import { chmodSync } from "node:fs";
import { loadConfig } from "../config/load-config.js";
import { systemClock } from "../shared/clock.js";
import { controlSocketPath } from "../shared/control-socket.js";
import { NuncioError } from "../shared/errors.js";
import { makeDirectory } from "../shared/make-directory.js";
import { lockDirectory } from "../store/sqlite/directory-lock.js";
import { createLogger } from "../telemetry/logger.js";
import { composeDaemon } from "./compose.js";
import { listenRefusal } from "./listen-refusal.js";
import { openLedger } from "./open-ledger.js";

export interface DaemonOptions {
  configFile: string;
  env: NodeJS.ProcessEnv;
  /** Serve a ledger although it was moved elsewhere. */
  useMovedLedger?: boolean;
  /** Called once, when everything listens. */
  onReady(url: string): void;
}

/**
 * Runs a daemon until SIGTERM or SIGINT, and resolves with its exit code. Reads top to bottom: what is started first
 * is stopped last.
 */
export async function runDaemon({ configFile, env, useMovedLedger, onReady }: DaemonOptions): Promise<number> {
  const { config, personas, warnings } = await loadConfig(configFile, env);
  const logger = createLogger(env.NUNCIO_LOG_LEVEL ?? "info");
  for (const { file, line, column, path, message } of warnings) logger.warn({ file, line, column, path }, message);

  if (config.mode === "production" && config.server.publicBaseUrl === undefined) {
    logger.warn("no agent card is served: in production cards need server.publicBaseUrl, the URL that clients use");
  }

  const controlSocket = controlSocketPath(config.dataDir);
  makeDataDirectory(config.dataDir);
  const lock = lockDirectory(config.dataDir);
  // From here on there is something to end in order. Before, the system's own way of ending us is the right one.
  const stopped = stopSignal();
  try {
    const ledger = await openLedger(config, systemClock, useMovedLedger);
    if (ledger.movedTo !== null) {
      logger.warn(
        { movedTo: ledger.movedTo.place },
        "this ledger was moved and is served nevertheless, as was asked for",
      );
    }
    const daemon = composeDaemon({ config, personas, env, ledger, logger });
    try {
      await daemon.access.load();
      await daemon.control.listen(controlSocket);
      const { port } = await daemon.http.listen().catch((error) => {
        throw listenRefusal(error, config.server);
      });
      const url = `http://${config.server.host.includes(":") ? `[${config.server.host}]` : config.server.host}:${port}`;
      daemon.setHttpUrl(url);
      daemon.worker.start();
      daemon.retention.start();
      logger.info({ url, dataDir: config.dataDir, personas: personas.length, mode: config.mode }, "serving");
      onReady(url);
      await daemon.control.warmUp();

      const signal = await stopped;
      logger.info({ signal }, "stopping: running work gets a moment to finish, then goes back to the queue");
    } finally {
      await daemon.retention.stop();
      await daemon.worker.drain(config.queue.drainMs);
      daemon.edge.close();
      await daemon.http.close();
      await daemon.control.close();
      await daemon.closeLedger();
    }
  } finally {
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
