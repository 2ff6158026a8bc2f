import type { Reloaded } from "../../http/control/schema/reload.js";
import { NuncioError } from "../../shared/errors.js";
import type { CliCommand } from "../cli.js";
import { harmlessLine } from "../harmless.js";

export const command: CliCommand = {
  describe(command) {
    command.addHelpText(
      "after",
      `
The daemon reads the files that it was started with (the configuration, the registry of peers, the
grants that let peers in), and takes all of it or nothing: running work ends on the configuration
that it began with, everything after it goes by the new one. SIGHUP does the same.
Only a restart changes mode, dataDir, storage, console, server.host, server.port, server.grpcPort,
server.maxBodyBytes, server.maxConnections, access.trustDomain and access.sealingKeyFile.`,
    );
  },
  async run({ cli: { out, client } }) {
    const reloaded = await (await client()).reload().catch((error) => {
      throw NuncioError.is(error, "invalid_argument") ? withNextStep(error) : error;
    });
    out.result(reloaded, () => text(reloaded));
    return undefined;
  },
};

/** The daemon has told what is wrong with the file, place by place. */
const withNextStep = ({ code, message, field }: NuncioError): NuncioError =>
  new NuncioError(code, message, {
    ...(field !== undefined && { field }),
    hint: "correct the file and reload again; until then everything goes on as it was",
  });

function text({ personas }: Reloaded): string {
  const changes = (["added", "changed", "removed"] as const).filter((kind) => personas[kind].length > 0);
  if (changes.length === 0) return "reloaded: everything is in force as the files say; the personas are as they were";
  return ["reloaded", ...changes.map((kind) => `${kind}: ${personas[kind].map(harmlessLine).join(", ")}`)].join("\n");
}
