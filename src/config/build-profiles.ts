import { resolve } from "node:path";
import type { Profile } from "../plans/profile.js";
import { readTextFile } from "../shared/text-file.js";
import type { Findings } from "./findings.js";
import type { ProfileSettings } from "./schema/profiles.js";

const MAX_BYTES = 32 * 1024;

/** The operator's own profiles, with their files read; those that are refused are left out. */
export async function buildProfiles(
  settings: readonly ProfileSettings[],
  directory: string,
  findings: Findings,
): Promise<Profile[]> {
  const built: Profile[] = [];
  for (const [index, { name, kind, ...given }] of settings.entries()) {
    const path = ["profiles", index];
    if (settings.findIndex((one) => one.name === name) < index) {
      findings.refuse([...path, "name"], `"${name}" is there already; use another name`);
    }
    const text = await textOf(given, directory, path, findings);
    if (text !== undefined) built.push({ name, kind, text });
  }
  return built;
}

async function textOf(
  { text, textFile }: Pick<ProfileSettings, "text" | "textFile">,
  directory: string,
  path: (string | number)[],
  findings: Findings,
): Promise<string | undefined> {
  if (text !== undefined && textFile === undefined) {
    return checked(text, [...path, "text"], findings);
  }
  if (textFile === undefined || text !== undefined) {
    findings.refuse(path, "a profile has either text or textFile; give one of them");
    return undefined;
  }
  const file = resolve(directory, textFile);
  const read = await readTextFile(file, MAX_BYTES);
  if ("text" in read) return checked(read.text, [...path, "textFile"], findings);
  const message = `${JSON.stringify(textFile)} ${read.problem}; use a text file of at most 32 KiB (looked for ${file})`;
  findings.refuse([...path, "textFile"], message);
  return undefined;
}

/** It is put before others as it stands. */
function checked(text: string, path: (string | number)[], findings: Findings): string | undefined {
  if (text.trim() !== "" && !/(?![\n\r\t])[\p{Cc}\p{Surrogate}]/u.test(text)) return text;
  findings.refuse(path, "is empty, or holds control characters; use plain text");
  return undefined;
}
