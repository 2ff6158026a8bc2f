import { resolve } from "node:path";
import { Option } from "commander";
import { positiveInteger } from "../../arguments.js";
import type { CliCommand } from "../../cli.js";
import { harmlessJson } from "../../harmless.js";
import { keyFileOf, listed, named, type PeerOptions, peerOptions } from "../../peer-options.js";

interface Options extends PeerOptions {
  cardFile: string;
  skill: string;
  files?: string[];
  supportsCancel?: boolean;
  supportsStreaming?: boolean;
  retention: "volatile" | "durable" | "unknown";
  slots: number;
}

const HELP = `
Checks what was reviewed against itself and the card, and prints the pin object; nothing is opened
and nothing changed. Put it into the registry, { "schema": 1, "peers": [ … ] }, a file for its owner
alone (chmod 600), and load that with nuncio up --a2a-config REGISTRY.json or nuncio reload. A card,
key, address or credential that is not the pinned one stops the peer until it is pinned anew.

--retention is your own statement of how long the peer keeps its tasks; it proves nothing.`;

export const command: CliCommand<Options> = {
  describe(command) {
    peerOptions(command)
      .requiredOption("--card-file <file>", "the card as it was reviewed")
      .requiredOption("--skill <id>", "the one skill that the peer is used for")
      .option("--files <path,…>", "what may be disclosed to it: paths in the workspace", listed)
      .option("--supports-cancel", "it may be asked to cancel")
      .option("--supports-streaming", "its tasks may be subscribed to")
      .addOption(
        new Option("--retention <how>", "how long the peer keeps its tasks, as far as you know")
          .choices(["volatile", "durable", "unknown"])
          .default("unknown"),
      )
      .option("--slots <n>", "how much it may have at work at the same time", positiveInteger, 1)
      .addHelpText("after", HELP);
  },
  async run({ options, cli }) {
    const { pin } = await import("../../../daemon/peer-files.js");
    const { cardFile, skill, files, supportsCancel, supportsStreaming, retention, slots } = options;
    const wanted = {
      ...named(options),
      cardFile: resolve(cardFile),
      files: files ?? [],
      supports: { cancel: supportsCancel === true, streaming: supportsStreaming === true },
      ...{ skill, retention, slots },
    };
    const made = await pin(wanted, keyFileOf(cli));
    cli.out.result(made.pin, () => harmlessJson(made.pin));
    cli.out.note(`pin ${made.digest}`);
    cli.out.next("nuncio reload", "when it stands in the registry of peers");
    return undefined;
  },
};
