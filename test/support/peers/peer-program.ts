import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import type { Tell } from "./peer-event.js";

/** What is asked of a peer program on its command line. Its token is in a file, as ours are. */
export interface PeerOptions {
  port: number;
  token: string;
  tenant: string | null;
}

export function peerOptions(): PeerOptions {
  const { values } = parseArgs({
    options: { port: { type: "string" }, "token-file": { type: "string" }, tenant: { type: "string" } },
  });
  const { port = "0", "token-file": file = "", tenant = null } = values;
  return { port: Number(port), token: JSON.parse(readFileSync(file, "utf8")).token, tenant };
}

export const tell: Tell = (event) => void process.stdout.write(`${JSON.stringify(event)}\n`);

/** Does what each line of standard input says, one after another; the program ends with it. */
export async function followOrders<T>(obey: (order: T) => void | Promise<void>): Promise<void> {
  for await (const line of createInterface(process.stdin)) await obey(JSON.parse(line));
  process.exit(0);
}
