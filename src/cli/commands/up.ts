import { relative, resolve } from "node:path";
import type { CliCommand } from "../cli.js";
import { EXIT, type ExitCode } from "../exit-code.js";
import { nextStep } from "../next-step.js";

interface Options {
  useMovedLedger?: boolean;
  a2aConfig?: string;
  a2aListenConfig?: string;
}

export const command: CliCommand<Options> = {
  describe(command) {
    command
      .option("--use-moved-ledger", "serve a ledger that `nuncio db copy` has moved elsewhere")
      .option("--a2a-config <file>", "the registry of pinned peers (default: $NUNCIO_A2A_CONFIG)")
      .option(
        "--a2a-listen-config <file>",
        "the grants of peers, and where they are let in (default: $NUNCIO_A2A_LISTEN_CONFIG)",
      )
      .addHelpText(
        "after",
        "\nCtrl-C, or SIGTERM, lets running work stop in order; nothing that was accepted is lost.",
      );
  },
  async run({ options: { useMovedLedger = false, a2aConfig, a2aListenConfig }, cli: { configFile, env, out } }) {
    const { runDaemon } = await import("../../daemon/main.js");
    const exit = await runDaemon({
      configFile,
      env,
      useMovedLedger,
      peersFile: absolute(a2aConfig ?? env.NUNCIO_A2A_CONFIG),
      listenerFile: absolute(a2aListenConfig ?? env.NUNCIO_A2A_LISTEN_CONFIG),
      onReady: (url: string) => {
        out.note(`serving ${url}; Ctrl-C stops`);
        const shown = relative(process.cwd(), configFile);
        const option = shown === "nuncio.yaml" ? "" : ` --config ${shown}`;
        out.note(nextStep(`nuncio status${option}`, "in another terminal"));
      },
    });
    // Everything has been closed. A run that does not heed its end must not keep the process: the ledger can take that.
    // biome-ignore lint/nursery/noProcessExit: nothing else ends a process in which something is still under way
    setTimeout(() => process.exit(exit), 1000).unref();
    return exit === 0 ? EXIT.done : (exit as ExitCode);
  },
};

const absolute = (file: string | undefined): string | undefined =>
  file === undefined || file === "" ? undefined : resolve(file);
