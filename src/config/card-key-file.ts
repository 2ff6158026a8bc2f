import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { dirname } from "node:path";
import { type P256Key, readP256Key, thumbprint } from "../access/jwt/p256-key.js";
import { NuncioError } from "../shared/errors.js";
import { makeDirectory } from "../shared/make-directory.js";
import { readSecretFile, writeSecretFile } from "../shared/secret-file.js";

/** Keys on the curve P-256. */
export interface CardKeyFile {
  /** The first private key of the file: it signs. */
  signing: KeyObject;
  /** Public parts of all others, in their order: published, so that what they have signed, or will sign, can be verified. */
  published: readonly KeyObject[];
}

const MAX_BYTES = 65_536;
const MAX_KEYS = 16;

const BLOCK = /-----BEGIN ([A-Z0-9 ]{1,40})-----[\s\S]*?-----END \1-----/g;

/**
 * Reads the PEM file of the keys that sign cards: private keys (PKCS #8, or as `openssl ecparam` writes them) and public
 * ones.
 *
 * @returns null when it is not there
 * @throws NuncioError when others may read it (SECRET_FILE_REFUSED), or what is in it are not such keys
 */
export function readCardKeys(file: string): CardKeyFile | null {
  const text = readSecretFile(file, MAX_BYTES);
  if (text === null) return null;
  const blocks = [...text.matchAll(BLOCK)].filter(([, label]) => label !== "EC PARAMETERS");
  if (blocks.length > MAX_KEYS) throw refused(file, `holds more than ${MAX_KEYS} keys`, "remove the oldest");
  const keys = blocks.map(([pem, label = ""]) => readKey(pem, label, file));
  const signing = keys.find(({ type }) => type === "private");
  if (signing === undefined) throw refused(file, "holds no private key", `make one with ${MAKE}`);
  const published = keys.filter((key) => key !== signing);
  return { signing, published: published.map((key) => (key.type === "private" ? createPublicKey(key) : key)) };
}

/**
 * Puts a new key first, which signs from then on. Of those that are there the public parts stay, the newest of them.
 */
export function addCardKey(file: string): CardKeyFile {
  const before = readCardKeys(file);
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const earlier = before === null ? [] : [createPublicKey(before.signing), ...before.published];
  const published = earlier.slice(0, MAX_KEYS - 1);
  const blocks = [
    privateKey.export({ type: "pkcs8", format: "pem" }),
    ...published.map((key) => key.export({ type: "spki", format: "pem" })),
  ];
  makeDirectory(dirname(file), 0o700);
  writeSecretFile(file, blocks.join(""), true);
  return { signing: privateKey, published };
}

/** The name by which signatures refer to a key. */
export const kidOf = (key: KeyObject): string =>
  thumbprint(readP256Key({ ...key.export({ format: "jwk" }) }) as P256Key);

function readKey(pem: string, label: string, file: string): KeyObject {
  let key: KeyObject;
  try {
    key = label === "PUBLIC KEY" ? createPublicKey(pem) : createPrivateKey(pem);
  } catch {
    const what = label.startsWith("ENCRYPTED") ? "is encrypted" : `holds a block ${label} that cannot be read`;
    throw refused(
      file,
      what,
      `store the key without a passphrase, readable by its owner alone, or make one with ${MAKE}`,
    );
  }
  if (key.asymmetricKeyDetails?.namedCurve === "prime256v1") return key;
  throw refused(file, "holds a key that is not on the curve P-256, which ES256 needs", `make one with ${MAKE}`);
}

const MAKE = "nuncio cards key";

const refused = (file: string, what: string, hint: string): NuncioError =>
  new NuncioError("failed_precondition", `${file} ${what}`, { hint });
