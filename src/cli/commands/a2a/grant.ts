import { resolve } from "node:path";
import { Option } from "commander";
import { spanInSeconds } from "../../arguments.js";
import type { CliCommand } from "../../cli.js";
import { harmlessJson } from "../../harmless.js";

interface Options {
  assignment: string;
  peer: string;
  credentialFile: string;
  tenant: string;
  skill: string;
  /** Seconds. */
  expiresIn?: number;
  peerClient?: string;
}

const HELP = `
Prints the grant object; there is no secret in it. Put it into the file of the listener, a file
for its owner alone (chmod 600):

  { "schema": 1, "host": "127.0.0.1", "port": 4388, "grants": [ … ] }

and load that with nuncio up --a2a-listen-config LISTENER.json, or nuncio reload.

The grant admits one fresh message for the assignment as it stands: analysis by a persona of
ours, in a planned task of that one step. Anything further needs another grant.`;

export const command: CliCommand<Options> = {
  describe(command) {
    command
      .requiredOption("--assignment <id>", "what the peer may ask for; nuncio team list shows it")
      .requiredOption("--peer <name>", "whom the grant lets in")
      .requiredOption("--credential-file <file>", "the peer's credential, from nuncio a2a credential")
      .requiredOption("--tenant <tenant>", "what the peer has to name in its requests")
      .requiredOption("--skill <skill>", "the one skill of the card that the peer is shown")
      .option("--expires-in <span>", "such as 12h or 30d (default: 7d)", spanInSeconds)
      .addOption(
        new Option("--peer-client <client>", "for a client with ways of its own").choices(["openclaw-2026.10.5"]),
      )
      .addHelpText("after", HELP);
  },
  async run({ options, cli: { out, client } }) {
    const { expiresIn, credentialFile, peerClient, ...wanted } = options;
    const grant = await (await client()).createGrant({
      ...{ assignment: wanted.assignment, peer: wanted.peer, tenant: wanted.tenant, skill: wanted.skill },
      credentialFile: resolve(credentialFile),
      expiresInSeconds: expiresIn,
      peerClient,
    });
    out.result(grant, () => harmlessJson(grant));
    out.note(`grant ${grant.id} for ${grant.peer}, until ${grant.expiresAt}`);
    out.next("nuncio reload", "when it stands in the file of the listener");
    return undefined;
  },
};
