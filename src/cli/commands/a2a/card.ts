import { type AddresseeOptions, addressee } from "../../addressee.js";
import { cardText } from "../../card-text.js";
import type { CliCommand } from "../../cli.js";

export const command: CliCommand<AddresseeOptions> = {
  describe(command) {
    command
      .option("--tenant <tenant>", "tenant of an agent of this daemon (default: default)")
      .option("--token-file <file>", "bearer token for the agent at the URL (default: $NUNCIO_A2A_TOKEN)")
      .addHelpText(
        "after",
        "\nExamples: nuncio a2a card front-desk\n          nuncio a2a card https://agents.example.com/research",
      );
  },
  async run({ args: [agentOrUrl = ""], options, cli }) {
    const client = await cli.client();
    const { card } = await client.agentCard(await addressee(agentOrUrl, options, cli));
    cli.out.result(card, () => cardText(card, cli.out.colors));
    return undefined;
  },
};
