import type { CliCommand } from "../cli.js";
import { EXIT, type ExitCode } from "../exit-code.js";
import { nextStep } from "../next-step.js";

export const command: CliCommand = {
  describe(command) {
    command.addHelpText(
      "after",
      "\nCtrl-C, or SIGTERM, lets running work stop in order; nothing that was accepted is lost.",
    );
  },
  async run({ cli: { configFile, env, out } }) {
    const { runDaemon } = await import("../../daemon/main.js");
    const exit = await runDaemon({
      configFile,
      env,
      onReady: (url: string) => {
        out.note(`serving ${url}; Ctrl-C stops`);
        out.note(nextStep("nuncio status", "in another terminal"));
      },
    });
    return exit === 0 ? EXIT.done : (exit as ExitCode);
  },
};
