import { spanInSeconds } from "../../arguments.js";
import type { CliCommand } from "../../cli.js";

interface Options {
  audience: string;
  tenant?: string;
  expiresIn?: number;
}

export const command: CliCommand<Options> = {
  describe(command) {
    command
      .requiredOption("--audience <agent>", "whom it is for: a SPIFFE id, or an agent here, as NAME or TENANT/NAME")
      .option("--tenant <tenant>", "tenant of the persona (default: default)")
      .option("--expires-in <span>", "such as 30s or 10m, at most 1h (default: 5m)", spanInSeconds)
      .addHelpText(
        "after",
        "\nIt is sent as the header X-Nuncio-Agent-Token, to that agent and to nobody else.\nIt needs access.trustDomain in the configuration.",
      );
  },
  async run({ args: [persona = ""], options, cli: { out, client } }) {
    const { audience, tenant, expiresIn } = options;
    const token = await (await client()).createAgentToken({ persona, tenant, audience, expiresInSeconds: expiresIn });
    out.result(token, () => token.token);
    out.note(`${token.subject} for ${token.audience}, until ${token.expiresAt}`);
    return undefined;
  },
};
