import { readFileSync } from "node:fs";

let version: string | undefined;

/** The version in package.json, two folders up from `dist/shared/` as from `src/shared/`; read once. */
export function nuncioVersion(): string {
  if (version === undefined) {
    const manifest: unknown = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
    version = String((manifest as { version: unknown }).version);
  }
  return version;
}
