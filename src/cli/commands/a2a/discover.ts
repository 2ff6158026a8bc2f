import { cardText } from "../../card-text.js";
import type { CliCommand } from "../../cli.js";
import { EXIT } from "../../exit-code.js";
import { harmlessJson } from "../../harmless.js";
import { keyFileOf, named, type PeerOptions, peerOptions } from "../../peer-options.js";

const HELP = `
Fetches the card over exactly these addresses, and prints it as JSON. Nothing that the card names
is opened: no redirect is followed, no proxy of the environment is asked, and nobody gets any
authority. Review the card before you pin it.

Example: umask 077
         nuncio a2a discover --peer reviewer --endpoint https://reviewer.example/a2a \\
           --card-url https://reviewer.example/.well-known/agent-card.json \\
           --credential-file ~/.config/nuncio/peers/reviewer.json \\
           --addresses 192.0.2.10 > reviewer-card.json`;

export const command: CliCommand<PeerOptions> = {
  describe(command) {
    peerOptions(command).addHelpText("after", HELP);
  },
  async run({ options, cli }) {
    const { discover } = await import("../../../daemon/peer-files.js");
    const interrupted = cli.interruption();
    const found = await discover(named(options), keyFileOf(cli), interrupted).catch((error) => {
      if (interrupted.aborted) return null;
      throw error;
    });
    if (found === null) return EXIT.interrupted;
    const { card, fits } = found;
    const { out } = cli;
    out.result(card, () => harmlessJson(card));
    for (const line of cardText(card, out.colors).split("\n")) out.note(line);
    if (fits) out.next("nuncio a2a pin --help", "when you have saved and read it");
    else {
      const tenant = options.tenant === undefined ? "without a tenant" : "with this tenant";
      out.note(`the card has no 1.0 JSONRPC interface at this endpoint ${tenant}: it cannot be pinned so`);
    }
    return undefined;
  },
};
