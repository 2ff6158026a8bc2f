import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/*
 * R7: what is secret in a test is planted here, and whatever a process of ours says is looked through for it. Daemons and
 * command lines of tests do so by themselves.
 */

const planted = new Map<string, string>();

/** Shorter ones stand in honest texts by chance. */
const SHORTEST = 8;

/** Makes a text known as a secret. */
export function plant(secret: string, what: string): string {
  if (secret.length >= SHORTEST) planted.set(secret, what);
  return secret;
}

/** A secret that is nowhere else. */
export const canary = (what: string): string => plant(`canary-${randomBytes(12).toString("hex")}`, what);

const NAMES = /^(apiKey|token|clientSecret|password|credentials|authorization|secret|value)$/;
const VARIABLES = /KEY|TOKEN|SECRET|PASSWORD|WEBHOOK/;

/** What is secret in a configuration, a credential file or the body of a request, by the names of its fields. */
export function plantAllIn(document: unknown, path = ""): void {
  if (typeof document !== "object" || document === null) return;
  for (const [name, value] of Object.entries(document)) {
    const at = `${path}.${name}`;
    // The URL of a channel is all that anybody needs to post there.
    const isSecret = NAMES.test(name) || (name === "url" && path.startsWith(".channels"));
    if (typeof value === "string" && isSecret && !value.startsWith("${")) plant(value, at);
    plantAllIn(value, at);
  }
}

export function plantVariables(env: Record<string, string>): void {
  for (const [name, value] of Object.entries(env)) if (VARIABLES.test(name)) plant(value, `$${name}`);
}

/** The keys that a daemon has made for itself. */
export function plantKeysIn(dataDir: string): void {
  const folder = join(dataDir, "keys");
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const text = readFileSync(join(folder, name), "utf8");
    for (const [key] of text.matchAll(/(?<![\w-])[A-Za-z0-9_-]{43,}(?![\w-])/g)) plant(key, `keys/${name}`);
  }
}

/** What is made while a test runs, by its shape: API keys and session tokens, signed tokens, private keys. */
const SHAPES: [RegExp, string][] = [
  [/\bn[ks]_[A-Za-z0-9_-]{43}/, "an API key or session token"],
  [/\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{20,}/, "a signed token"],
  [/PRIVATE KEY-----/, "a private key"],
];

/** Which planted secrets a text has in it, none of which it may; with their names, for the values are secret here as well. */
export const plantedIn = (text: string): string[] => [
  ...new Set([...planted].flatMap(([secret, what]) => (text.includes(secret) ? [what] : []))),
];

/** The same, and whatever looks like a secret: for texts that nobody may find one in, such as logs. */
export const secretsIn = (text: string): string[] => [
  ...plantedIn(text),
  ...SHAPES.flatMap(([shape, what]) => (shape.test(text) ? [what] : [])),
];
