import { resolve } from "node:path";
import { CommanderError } from "commander";
import type { Cli } from "./cli.js";
import { EXIT, type ExitCode } from "./exit-code.js";
import { createOutput } from "./output.js";
import { type GlobalOptions, runProgram } from "./program.js";

/** Runs one command line; resolves with its exit code and never rejects. */
export async function main(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<ExitCode> {
  const out = createOutput(argv.includes("--json"));
  try {
    return await runProgram(argv, (options) => createCli(options, env));
  } catch (error) {
    if (error instanceof CommanderError) return usage(error, argv);
    const { explain } = await import("./error-boundary.js");
    return explain(error, out, env);
  }
}

function createCli(options: GlobalOptions, env: NodeJS.ProcessEnv): Cli {
  const configFile = resolve(options.config ?? (env.NUNCIO_CONFIG || "nuncio.yaml"));
  return {
    out: createOutput(options.json === true, options.config),
    env,
    configFile,
    interruption,
    async client() {
      const [{ dataDirOf }, { controlSocketPath }, { connect }] = await Promise.all([
        import("./data-dir.js"),
        import("../shared/control-socket.js"),
        import("../client/control-client.js"),
      ]);
      return connect(controlSocketPath(await dataDirOf(configFile, env)));
    },
  };
}

function interruption(): AbortSignal {
  const controller = new AbortController();
  process.once("SIGINT", () => controller.abort());
  return controller.signal;
}

/** Commander has said what is wrong, or has printed the help or the version that was asked for. */
function usage(error: CommanderError, argv: readonly string[]): ExitCode {
  if (error.exitCode === 0) return EXIT.done;
  if (argv.includes("--json")) {
    const message = error.message.replace(/^error: /, "");
    createOutput(true).result({ error: { code: "invalid_argument", message } }, () => "");
  }
  return EXIT.usage;
}

let unwritten = false;
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  process.stdout.destroy();
  // `nuncio … | head`: whoever read has enough. A disk that is full is another matter.
  unwritten ||= error.code !== "EPIPE";
  process.exitCode = unwritten ? EXIT.failed : EXIT.done;
  if (unwritten) process.stderr.write(`error: standard output cannot be written: ${error.code}\n`);
});
/** Nobody is left to be told. */
process.stderr.on("error", () => process.stderr.destroy());

const exit = await main(process.argv.slice(2), process.env);
process.exitCode = unwritten ? EXIT.failed : exit;
