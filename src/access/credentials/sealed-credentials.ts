import { existsSync } from "node:fs";
import { NuncioError } from "../../shared/errors.js";
import { writeSecretFile } from "../../shared/secret-file.js";
import type { SealedStore } from "../sealing/sealed-store.js";
import { readCredentialJson } from "./credential-file.js";
import { credentialText, sealPurpose } from "./credential-json.js";

/**
 * The secrets that are sealed in credential files, so that a change of keys reaches them as it does those of the ledger. A file
 * is written whole or not at all.
 *
 * @param files those that are in use now
 */
export const sealedCredentials = (files: () => readonly string[]): SealedStore => ({
  walk({ after, limit }) {
    const behind = [...new Set(files())].sort().filter((file) => after === null || file > after);
    const seals = behind.flatMap((place) => {
      // One that was removed holds nothing that could be lost.
      if (!existsSync(place)) return [];
      const credential = readCredentialJson(place);
      const { secret } = credential;
      return secret !== null && "sealed" in secret
        ? [{ purpose: sealPurpose(credential), sealed: secret.sealed, place }]
        : [];
    });
    return Promise.resolve(seals.slice(0, limit));
  },
  replace({ seal, sealed }) {
    const credential = readCredentialJson(seal.place);
    const { secret } = credential;
    if (secret === null || !("sealed" in secret) || secret.sealed !== seal.sealed) return Promise.resolve(false);
    const text = credentialText({ ...credential, secret: { sealed } });
    try {
      return Promise.resolve(writeSecretFile(seal.place, text, true));
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      throw new NuncioError("failed_precondition", `${seal.place} cannot be written (${code}): the old keys are kept`, {
        hint: `chown and chmod the directory of ${seal.place} so that the daemon may write it, then rotate again`,
        cause,
      });
    }
  },
});

/** Several stores as one, one after the other. */
export function together(stores: readonly SealedStore[]): SealedStore {
  const at = (place: string): [number, string] => {
    const [number = "", ...rest] = place.split(" ");
    return [Number(number), rest.join(" ")];
  };
  return {
    async walk({ after, limit }) {
      const [first, place] = after === null ? [0, null] : at(after);
      for (let number = first; number < stores.length; number++) {
        const page = await (stores[number] as SealedStore).walk({ after: number === first ? place : null, limit });
        if (page.length > 0) return page.map((seal) => ({ ...seal, place: `${number} ${seal.place}` }));
      }
      return [];
    },
    replace({ seal, sealed }) {
      const [number, place] = at(seal.place);
      return (stores[number] as SealedStore).replace({ seal: { ...seal, place }, sealed });
    },
  };
}
