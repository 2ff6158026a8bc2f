import { Command } from "commander";
import { nuncioVersion } from "../shared/version.js";
import type { Cli } from "./cli.js";
import { COMMANDS, NOUNS } from "./commands.js";
import { EXIT, type ExitCode } from "./exit-code.js";

export interface GlobalOptions {
  config?: string;
  json?: boolean;
}

const HELP = `
Exit codes: 0 done, 1 the task failed, 2 usage or configuration, 3 no daemon, 4 timed out, 130 Ctrl-C.
First steps: nuncio init && nuncio up`;

/** Parses the command line and runs its command. Only the file of that command is loaded. */
export async function runProgram(
  argv: readonly string[],
  createCli: (options: GlobalOptions) => Cli,
): Promise<ExitCode> {
  const program = new Command("nuncio")
    .description("AI agents that hand work to each other: a durable ledger, delegation, A2A")
    .option("-c, --config <file>", "configuration (default: $NUNCIO_CONFIG, else ./nuncio.yaml)")
    .option("--json", "print the result as one JSON document")
    .configureHelp({ showGlobalOptions: true })
    .version(nuncioVersion(), "-V, --version", "print the version")
    .addHelpText("after", HELP)
    .showHelpAfterError("  next: add --help to see how it is called")
    .exitOverride();

  const wanted = commandNamed(argv);
  const groups = new Map<string, Command>();
  let exit: ExitCode = EXIT.done;
  for (const [path, { args, summary, load }] of Object.entries(COMMANDS)) {
    const [noun, verb] = path.split(" ") as [string, string | undefined];
    const parent = verb === undefined ? program : groupOf(program, groups, noun);
    const command = parent.command(verb ?? noun).description(summary);
    if (args !== undefined) command.arguments(args);
    if (path !== wanted) continue;
    const loaded = (await load()).command;
    loaded.describe?.(command);
    command.action(async () => {
      const options = command.optsWithGlobals<GlobalOptions>();
      exit =
        (await loaded.run({ args: command.args, options: options as never, cli: createCli(options) })) ?? EXIT.done;
    });
  }
  await program.parseAsync(argv, { from: "user" });
  return exit;
}

function groupOf(program: Command, groups: Map<string, Command>, noun: string): Command {
  const known = groups.get(noun);
  if (known !== undefined) return known;
  const group = program.command(noun).description(NOUNS[noun] ?? "");
  groups.set(noun, group);
  return group;
}

/** The command that these words call, before anything is parsed; `help task list` and `task list --help` call it, too. */
function commandNamed(argv: readonly string[]): string | undefined {
  const words: string[] = [];
  for (let i = 0; i < argv.length && words.length < 3; i++) {
    const word = argv[i] as string;
    if (word === "-c" || word === "--config") i++;
    else if (!word.startsWith("-")) words.push(word);
  }
  const [first, second] = words[0] === "help" ? words.slice(1) : words;
  return [`${first} ${second}`, `${first}`].find((path) => Object.hasOwn(COMMANDS, path));
}
