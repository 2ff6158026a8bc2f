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
    const card = await discover(named(options), keyFileOf(cli), interrupted).catch((error) => {
      if (interrupted.aborted) return null;
      throw error;
    });
    if (card === null) return EXIT.interrupted;
    const { out } = cli;
    out.result(card.document, () => harmlessJson(card.document));
    for (const line of cardText(card.document, out.colors).split("\n")) out.note(line);
    const fits = card.interfaces.some(
      ({ url, binding, version, tenant }) =>
        sameUrl(url, options.endpoint) &&
        binding === "JSONRPC" &&
        version.startsWith("1.0") &&
        tenant === (options.tenant ?? null),
    );
    if (fits) out.next("nuncio a2a pin --help", "when you have saved and read it");
    else {
      const tenant = options.tenant === undefined ? "without a tenant" : "with this tenant";
      out.note(`the card has no 1.0 JSONRPC interface at this endpoint ${tenant}: it cannot be pinned so`);
    }
    return undefined;
  },
};

const sameUrl = (a: string, b: string): boolean =>
  URL.canParse(a) && URL.canParse(b) && new URL(a).href === new URL(b).href;
