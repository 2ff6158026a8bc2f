import { readFileSync } from "node:fs";

/** The version in package.json, two folders up from `dist/shared/` as from `src/shared/`. */
export function nuncioVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  return String((manifest as { version: unknown }).version);
}
