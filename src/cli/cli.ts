import type { Command } from "commander";
import type { ControlClient } from "../client/control-client.js";
import type { ExitCode } from "./exit-code.js";
import type { Output } from "./output.js";

/** A command: `cli/commands/task/list.ts` is `nuncio task list`. Its arguments and summary stand in `commands.ts`. */
export interface CliCommand<Options = object> {
  /** Adds options and examples. */
  describe?(command: Command): void;
  /** Resolves with the exit code, `done` when it says nothing; throws what the error boundary explains. */
  run(call: { args: string[]; options: Options; cli: Cli }): Promise<ExitCode | undefined>;
}

/** What every command is given. */
export interface Cli {
  readonly out: Output;
  /** Aborts on the first Ctrl-C. Whoever waits on it says how to get back; without a listener, Ctrl-C ends the process. */
  interruption(): AbortSignal;
  /** Absolute path from `--config`, `NUNCIO_CONFIG`, or `./nuncio.yaml`; it need not exist. */
  readonly configFile: string;
  readonly env: NodeJS.ProcessEnv;
  /** The daemon of that configuration; throws only when the configuration cannot tell where it would be. */
  client(): Promise<ControlClient>;
}
