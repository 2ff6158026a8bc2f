import type { CryptoKey, JWK } from "jose";

let made = 0;

/** The public part of a key that others sign with. What it costs to use is paid once. */
export class VerifyingKey {
  /** Another one for each that is read: a key that is taken away and comes back is not the one that it was. */
  readonly number = ++made;
  readonly #imported = new Map<string, Promise<CryptoKey | null>>();

  constructor(
    readonly kid: string | undefined,
    readonly jwk: JWK,
  ) {}

  /** Whether this key has signed the token with this algorithm, and with no other. */
  async hasSigned(token: string, algorithm: string): Promise<boolean> {
    const { compactVerify } = await import("jose");
    const key = await this.#keyFor(algorithm);
    if (key === null) return false;
    return compactVerify(token, key, { algorithms: [algorithm] }).then(
      () => true,
      () => false,
    );
  }

  /** Null when the key is not one for this algorithm. */
  #keyFor(algorithm: string): Promise<CryptoKey | null> {
    let imported = this.#imported.get(algorithm);
    if (imported === undefined) {
      imported = importKey(this.jwk, algorithm);
      this.#imported.set(algorithm, imported);
    }
    return imported;
  }
}

async function importKey(jwk: JWK, algorithm: string): Promise<CryptoKey | null> {
  const { importJWK } = await import("jose");
  try {
    const key = await importJWK(jwk, algorithm);
    return key instanceof Uint8Array ? null : key;
  } catch {
    return null;
  }
}
