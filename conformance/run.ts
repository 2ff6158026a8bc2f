import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { SECTIONS } from "./cases/all.js";
import { jsonOf, textOf } from "./report.js";
import { choose } from "./table/choose.js";
import { type Outcome, runTable } from "./table/run-table.js";
import { startOwnDaemon } from "./targets/own-daemon.js";
import { remoteTarget } from "./targets/remote.js";
import { WIRES } from "./wires/all.js";

const HELP = `npm run conformance -- [options]

Checks an A2A server against the specification, 1.0.1 and 0.3.0, by what it says on the wire. Without --url it starts a
daemon of its own.

  --only TEXT          cases whose section, wire or title has it; may stand several times, and all must fit
  --wire TEXT          only these wires: "JSON-RPC 1.0", "HTTP+JSON", "0.3" …; may stand several times
  --list               says what there is, and runs nothing
  --json               one JSON document on standard output
  --url URL            base URL of an agent (below it is /.well-known/agent-card.json)
  --token-file FILE    bearer token for it
  --other-token-file   of a second caller, for cases on what is hidden from others
  --script             the agent acts by the text of a message (docs/conformance.md)
`;

const OPTIONS = {
  only: { type: "string", multiple: true, default: [] as string[] },
  wire: { type: "string", multiple: true, default: [] as string[] },
  list: { type: "boolean", default: false },
  json: { type: "boolean", default: false },
  url: { type: "string" },
  "token-file": { type: "string" },
  "other-token-file": { type: "string" },
  script: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>["values"];

try {
  const { values } = parseArgs({ options: OPTIONS });
  process.exitCode = values.help ? help() : await main(values);
} catch (error) {
  // A wrong option, a file that cannot be read, a server that is not there: nothing has been found out.
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 2;
}

function help(): number {
  process.stdout.write(HELP);
  return 0;
}

async function main(values: Values): Promise<number> {
  const wires = WIRES.filter(({ name }) => values.wire.every((text) => name.includes(text)));
  const sections = choose(SECTIONS, values.only);
  if (wires.length === 0 || sections.length === 0) {
    process.stderr.write("nothing fits\n");
    return 2;
  }
  if (values.list) {
    for (const { number, title, cases } of sections) {
      process.stdout.write(`${number} ${title}\n${cases.map((one) => `  ${one.title}\n`).join("")}`);
    }
    return 0;
  }
  const startedAt = performance.now();
  const target =
    values.url === undefined
      ? await startOwnDaemon(wires)
      : await remoteTarget(wires, remoteOptions(values.url, values));
  let faults: string[] = [];
  let outcomes: Outcome[];
  try {
    outcomes = await runTable(sections, target);
  } finally {
    faults = await target.close();
  }
  const seconds = (performance.now() - startedAt) / 1000;
  process.stdout.write(values.json ? `${jsonOf(outcomes, target)}\n` : textOf(outcomes, target, seconds));
  for (const fault of faults) process.stderr.write(`logged by the server: ${fault}\n`);
  return faults.length > 0 || outcomes.some(({ outcome }) => outcome === "failed") ? 1 : 0;
}

function remoteOptions(url: string, values: Values) {
  const read = (file: string | undefined) => (file === undefined ? undefined : readFileSync(file, "utf8").trim());
  return {
    url,
    token: read(values["token-file"]) ?? "",
    otherToken: read(values["other-token-file"]),
    script: values.script,
  };
}
