import type { Command } from "commander";
import { collected, spanInSeconds } from "./arguments.js";

/** Who will hold a key or a session, what it lets its holder do, and for how long. */
export interface HolderOptions {
  tenant?: string;
  scope?: string[];
  /** Seconds. */
  expiresIn?: number;
}

/** @param span what `--expires-in` takes, and what holds without it */
export const holderOptions = (command: Command, span: string): Command =>
  command
    .option("--tenant <tenant>", "tenant of the caller (default: default)")
    .option("--scope <scope>", "runs:execute (default) or tasks:read; may be given twice", collected)
    .option("--expires-in <span>", span, spanInSeconds);

/** The same as the control API takes it. */
export const askedFor = (name: string, { tenant, scope, expiresIn }: HolderOptions) => ({
  name,
  tenant,
  scopes: scope,
  expiresInSeconds: expiresIn,
});
