import type { Reloaded } from "../../http/control/schema/reload.js";
import type { CliCommand } from "../cli.js";
import { harmlessLine } from "../harmless.js";

export const command: CliCommand = {
  describe(command) {
    command.addHelpText(
      "after",
      `
The daemon reads the file that it was started with, and takes all of it or nothing: running work ends on the
configuration that it began with, everything after it goes by the new one. SIGHUP does the same.
Only a restart changes mode, dataDir, storage, console, server.host, server.port, server.grpcPort,
server.maxBodyBytes, server.maxConnections, access.trustDomain and access.sealingKeyFile.`,
    );
  },
  async run({ cli: { out, client } }) {
    const reloaded = await (await client()).reload();
    out.result(reloaded, () => text(reloaded));
    return undefined;
  },
};

function text({ personas }: Reloaded): string {
  const changes = (["added", "changed", "removed"] as const).filter((kind) => personas[kind].length > 0);
  if (changes.length === 0) return "reloaded; the personas are as they were";
  return ["reloaded", ...changes.map((kind) => `${kind}: ${personas[kind].map(harmlessLine).join(", ")}`)].join("\n");
}
