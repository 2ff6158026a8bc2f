import { resolve } from "node:path";
import { invalidArgument } from "../shared/errors.js";
import { readTextFile } from "../shared/text-file.js";
import type { Cli } from "./cli.js";

export interface AddresseeOptions {
  tenant?: string;
  tokenFile?: string;
}

export interface Addressee {
  agent?: string;
  tenant?: string | undefined;
  url?: string;
  token?: string | undefined;
}

const MAX_TOKEN_BYTES = 16 * 1024;

/**
 * Whom a command speaks to: an agent of the daemon by its name, any other by its URL. A token is never an argument, which
 * every user of the machine could see.
 */
export async function addressee(
  agentOrUrl: string,
  { tenant, tokenFile }: AddresseeOptions,
  cli: Cli,
): Promise<Addressee> {
  if (!/^https?:/i.test(agentOrUrl)) {
    if (tokenFile !== undefined)
      throw invalidArgument("token-file", "an agent of this daemon takes no token from its operator");
    return { agent: agentOrUrl, tenant };
  }
  if (tenant !== undefined) throw invalidArgument("tenant", "--tenant is for agents of this daemon, not for a URL");
  if (tokenFile !== undefined) return { url: agentOrUrl, token: await tokenIn(resolve(tokenFile)) };
  const token = cli.env.NUNCIO_A2A_TOKEN;
  return token === undefined || token === ""
    ? { url: agentOrUrl }
    : { url: agentOrUrl, token: checked(token, "NUNCIO_A2A_TOKEN") };
}

async function tokenIn(file: string): Promise<string> {
  const found = await readTextFile(file, MAX_TOKEN_BYTES);
  if ("problem" in found) {
    throw invalidArgument("token-file", `${file} ${found.problem}`, { hint: "name a file that holds the token alone" });
  }
  return checked(found.text.trim(), file);
}

/** What is wrong with a token is said without it. */
function checked(token: string, where: string): string {
  if (/^[\x21-\x7e]+$/.test(token) && token.length <= MAX_TOKEN_BYTES) return token;
  throw invalidArgument("token-file", `${where} must hold one token, of printable ASCII without spaces`);
}
