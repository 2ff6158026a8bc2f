import { resolve } from "node:path";
import { NuncioError } from "../shared/errors.js";
import { type CardKeyFile, readCardKeys } from "./card-key-file.js";
import type { Findings } from "./findings.js";
import type { Settings } from "./schema/root.js";

/** A card that should be signed is not served without its signature: what is wrong with the keys stops the start. */
export function findCardKeys({ cards }: Settings, directory: string, findings: Findings): CardKeyFile | undefined {
  if (cards.signingKeyFile === undefined) return undefined;
  const path = ["cards", "signingKeyFile"];
  try {
    const keys = readCardKeys(resolve(directory, cards.signingKeyFile));
    if (keys !== null) return keys;
    findings.refuse(path, `${JSON.stringify(cards.signingKeyFile)} does not exist; make it with nuncio cards key`);
  } catch (error) {
    if (!NuncioError.is(error)) throw error;
    findings.refuse(path, `${error.message}; ${error.hint}`);
  }
  return undefined;
}
