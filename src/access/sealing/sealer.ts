import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { NuncioError } from "../../shared/errors.js";
import type { KeyRing } from "./key-ring.js";
import { readSealed, writeSealed } from "./sealed-text.js";

/**
 * Seals what is stored and must be read again: tokens and credentials of others, private keys of our own. Whoever has
 * the database, or a backup of it, and not the key file, has nothing of them.
 */
export interface Sealer {
  /**
   * @param purpose what the text is for and where it is kept, e.g. `push token TENANT/TASK/ID`: the same is needed to open
   *   it, so that sealed texts cannot be exchanged for one another. Not secret
   */
  seal(plain: string, purpose: string): string;
  /** @throws NuncioError SEALING_KEY_MISSING, or SEAL_BROKEN when it was changed, or sealed for another purpose */
  open(sealed: string, purpose: string): string;
}

const NONCE = 12;
const TAG = 16;

/** AES-256-GCM with a random nonce (NIST SP 800-38D, 8.2.2: good for 2^32 texts a key). */
export function createSealer(ring: KeyRing): Sealer {
  return {
    seal(plain, purpose) {
      const { id, key } = ring.current();
      const nonce = randomBytes(NONCE);
      const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG });
      cipher.setAAD(boundTo(id, purpose));
      const sealed = [nonce, cipher.update(plain, "utf8"), cipher.final(), cipher.getAuthTag()];
      return writeSealed({ keyId: id, data: Buffer.concat(sealed) });
    },
    open(text, purpose) {
      const sealed = readSealed(text);
      if (sealed === null || sealed.data.length < NONCE + TAG) throw broken();
      const { keyId, data } = sealed;
      const key = ring.find(keyId);
      if (key === null) throw keyMissing(keyId, ring.file);
      const decipher = createDecipheriv("aes-256-gcm", key, data.subarray(0, NONCE), { authTagLength: TAG });
      decipher.setAAD(boundTo(keyId, purpose));
      decipher.setAuthTag(data.subarray(-TAG));
      try {
        return Buffer.concat([decipher.update(data.subarray(NONCE, -TAG)), decipher.final()]).toString("utf8");
      } catch {
        throw broken();
      }
    },
  };
}

const boundTo = (keyId: string, purpose: string): Buffer => Buffer.from(`nuncio seal 1\0${keyId}\0${purpose}`);

const broken = (): NuncioError =>
  new NuncioError("internal", "what was sealed cannot be opened: it was changed, or sealed for something else", {
    reason: "SEAL_BROKEN",
  });

const keyMissing = (keyId: string, file: string): NuncioError =>
  new NuncioError("failed_precondition", `the sealing key ${keyId} is not in ${file}`, {
    reason: "SEALING_KEY_MISSING",
    hint: "put back the key file that belongs to this ledger; several nodes need the same one (access.sealingKeyFile)",
  });
