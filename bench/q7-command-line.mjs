import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { connect } from "../dist/client/control-client.js";
import { controlSocketPath } from "../dist/shared/control-socket.js";
import { nodeAlone, startNuncio, timedCli } from "./processes.mjs";
import { median } from "./statistics.mjs";

const CONFIG = `
dataDir: ./data
server: { port: 0 }
personas:
  - { name: echo, runtime: scripted, visibility: public, script: [] }
`;

/** Q7: whole runs of the program, from start to exit, with the work that the daemon does for them. */
export async function q7({ directory, rounds }) {
  const home = join(directory, "q7");
  mkdirSync(home);
  const { config, stop } = await startNuncio(home, CONFIG);
  const commands = await commandsFor(connect(controlSocketPath(join(home, "data"))));
  const measured = [];
  try {
    for (let round = 0; round <= 2 * rounds; round++) {
      const row = { node: nodeAlone(), "--help": timedCli(["--help"]) };
      for (const command of commands) row[command.join(" ")] = timedCli([...command, "--config", config]);
      // The first round reads all files from the disk.
      if (round > 0) measured.push(row);
    }
  } finally {
    await stop();
  }
  const ratio = (name) => median(measured.map((row) => row[name] / row.node));
  const times = (name) => `${ms(measured, name)} ms against ${ms(measured, "node")} ms`;
  const slowest = commands.map((command) => command.join(" ")).sort((a, b) => ratio(b) - ratio(a));
  const shown = slowest.slice(0, 3).map((name) => `${name.split(" ").slice(0, 2).join(" ")} ${ratio(name).toFixed(2)}`);
  return [
    {
      id: "Q7",
      what: "nuncio --help ÷ node -e 0",
      goal: 2.5,
      atMost: true,
      figure: ratio("--help"),
      detail: times("--help"),
    },
    {
      id: "Q7",
      what: `slowest of ${commands.length} commands ÷ node -e 0`,
      goal: 5,
      atMost: true,
      figure: ratio(slowest[0]),
      detail: `${times(slowest[0])}; ${shown.join(", ")}`,
    },
  ];
}

const ms = (measured, name) => Math.round(median(measured.map((row) => row[name])));

/** Every command that may be called again and again. */
async function commandsFor(client) {
  const { id } = await client.send({ persona: "echo", text: "hello" });
  return [
    ["status"],
    ["send", "echo", "hello"],
    ["persona", "list"],
    ["persona", "show", "echo"],
    ["task", "list"],
    ["task", "show", id],
    ["task", "tree", id],
    ["task", "watch", id],
    ["dlq", "list"],
    ["key", "list"],
  ];
}
