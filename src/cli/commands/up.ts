import { relative } from "node:path";
import type { CliCommand } from "../cli.js";
import { EXIT, type ExitCode } from "../exit-code.js";
import { nextStep } from "../next-step.js";

export const command: CliCommand<{ useMovedLedger?: boolean }> = {
  describe(command) {
    command
      .option("--use-moved-ledger", "serve a ledger that `nuncio db copy` has moved elsewhere")
      .addHelpText(
        "after",
        "\nCtrl-C, or SIGTERM, lets running work stop in order; nothing that was accepted is lost.",
      );
  },
  async run({ options: { useMovedLedger = false }, cli: { configFile, env, out } }) {
    const { runDaemon } = await import("../../daemon/main.js");
    const exit = await runDaemon({
      configFile,
      env,
      useMovedLedger,
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
