import type { Config, LoadedConfig } from "../config/config.js";
import type { Reloaded } from "../http/control/schema/reload.js";
import type { PersonaChanges } from "../personas/registry.js";
import { NuncioError } from "../shared/errors.js";
import type { Logger } from "../telemetry/logger.js";
import { restartNeeded } from "./restart-needed.js";

export interface ReloadOptions {
  /** In force when the daemon starts. */
  config: Config;
  /** Reads and checks the file. Throws what is wrong with it. */
  load(): Promise<LoadedConfig>;
  /** Makes ready what takes time. The answer brings it into effect, at once and as a whole. */
  prepare(loaded: LoadedConfig): Promise<() => PersonaChanges>;
  logger: Logger;
}

/**
 * Takes a changed configuration into a running daemon. A file in which anything is wrong changes nothing; so does one
 * that would need a restart, since half of what somebody has written is what nobody has written.
 */
export class Reload {
  readonly #options: ReloadOptions;
  #config: Config;
  #last: Promise<unknown> = Promise.resolve();
  /** One that has not begun yet. */
  #waiting: Promise<Reloaded> | undefined;
  #stopped = false;

  constructor(options: ReloadOptions) {
    this.#options = options;
    this.#config = options.config;
  }

  /**
   * One after another: each takes the file as it is when its turn comes. So whoever asks while one waits gets that one, and
   * however often we are asked, there is never more than one to wait for.
   *
   * @throws ConfigError with every fault and its place; `failed_precondition` when a restart is needed
   */
  run(): Promise<Reloaded> {
    if (this.#waiting !== undefined) return this.#waiting;
    const reloaded = this.#last.then(() => {
      this.#waiting = undefined;
      return this.#reload();
    });
    this.#waiting = reloaded;
    this.#last = reloaded.catch(() => {});
    return reloaded;
  }

  async #reload(): Promise<Reloaded> {
    const { load, prepare, logger } = this.#options;
    if (this.#stopped) throw stopping();
    const loaded = await load();
    const needed = restartNeeded(this.#config, loaded.config);
    if (needed.length > 0) throw restartRefusal(needed);
    const apply = await prepare(loaded);
    if (this.#stopped) throw stopping();
    const personas = apply();
    this.#config = loaded.config;
    for (const { message, ...place } of loaded.warnings) logger.warn(place, message);
    logger.info({ personas }, "the configuration was loaded anew");
    return { personas, restartNeeded: [] };
  }

  /** What is in force. */
  get config(): Config {
    return this.#config;
  }

  /** The daemon is shutting down: what it goes by stays as it is. */
  stop(): void {
    this.#stopped = true;
  }

  /** As `run`, for whoever waits for no answer: what comes of it is in the log. */
  async runLogged(): Promise<void> {
    try {
      await this.run();
    } catch (error) {
      const known = NuncioError.is(error) && error.code !== "internal";
      const facts = known ? { reason: error.message } : { err: error };
      this.#options.logger.error(facts, "the configuration was not loaded anew, and the one before stays in force");
    }
  }
}

const stopping = (): NuncioError => new NuncioError("unavailable", "the daemon is shutting down");

const restartRefusal = (settings: readonly string[]): NuncioError =>
  new NuncioError("failed_precondition", `restart to change ${settings.join(", ")}; nothing was changed`, {
    field: settings[0] as string,
    reason: "RESTART_NEEDED",
    hint: settings.includes("mode")
      ? "restart the daemon, or put these back and reload again; without mode in the file it follows from server.host and the public URL"
      : "restart the daemon, or put these back as they were and reload again",
  });
