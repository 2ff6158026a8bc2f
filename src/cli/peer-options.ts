import { resolve } from "node:path";
import type { Command } from "commander";
import type { Cli } from "./cli.js";

/** What tells an outside agent that is not pinned yet. */
export interface PeerOptions {
  peer: string;
  endpoint: string;
  cardUrl: string;
  credentialFile: string;
  addresses: string[];
  local?: boolean;
  tenant?: string;
}

/** Names that are separated by commas, in one option or in several. */
export const listed = (value: string, before: string[] | undefined): string[] => [
  ...(before ?? []),
  ...value
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== ""),
];

export const peerOptions = (command: Command): Command =>
  command
    .requiredOption("--peer <name>", "what the peer is called here")
    .requiredOption("--endpoint <url>", "where messages go")
    .requiredOption("--card-url <url>", "where the card is")
    .requiredOption("--credential-file <file>", "made by nuncio a2a credential")
    .requiredOption("--addresses <ip,…>", "the only addresses that are dialed, whatever the names resolve to", listed)
    .option("--tenant <tenant>", "of the interface in the card, where it declares one")
    .option("--local", "a rehearsal on this machine: loopback addresses, over plain HTTP if need be");

export const named = ({ peer, endpoint, cardUrl, credentialFile, addresses, tenant, local }: PeerOptions) => ({
  ...{ peer, endpoint, cardUrl, addresses },
  credentialFile: resolve(credentialFile),
  tenant: tenant ?? null,
  local: local === true,
});

/** The sealing keys of the daemon, for those files that are sealed. */
export const keyFileOf =
  ({ configFile, env }: Cli): (() => Promise<string>) =>
  async () => {
    const { sealingKeyFileOf } = await import("./data-dir.js");
    return sealingKeyFileOf(configFile, env);
  };
