import { stat } from "node:fs/promises";
import type { VerifyingKey } from "../jwt/verifying-key.js";
import { readTrustBundle, type TrustBundle } from "./trust-bundle.js";

export interface BundleFile {
  trustDomain: string;
  file: string;
}

interface HeldBundle extends BundleFile {
  /** Of the file as it was read last, whether it was good or not. */
  stamp: string;
  keys: TrustBundle;
}

/** Whose agents are believed besides our own: the keys of their trust domains, as their files have them. */
export class TrustBundles {
  readonly #bundles: Map<string, HeldBundle>;
  readonly #onProblem: (bundle: BundleFile, problem: string) => void;
  readonly #listeners = new Set<(keyId: string) => void>();

  constructor(files: readonly BundleFile[], onProblem: (bundle: BundleFile, problem: string) => void) {
    this.#bundles = new Map(files.map((file) => [file.trustDomain, { ...file, stamp: "", keys: new Map() }]));
    this.#onProblem = onProblem;
  }

  /**
   * Reads the files that have changed, all at the first time. One that cannot be read, since it is being written for
   * example, leaves the keys as they were: whom to believe is said by a file that is whole.
   */
  async look(): Promise<void> {
    for (const bundle of this.#bundles.values()) {
      const stamp = await stampOf(bundle.file);
      if (stamp === bundle.stamp) continue;
      bundle.stamp = stamp;
      const read = await readTrustBundle(bundle.file);
      if ("problem" in read) this.#onProblem(bundle, read.problem);
      else this.#replace(bundle, read.keys);
    }
  }

  find(trustDomain: string, kid: string): VerifyingKey | null {
    return this.#bundles.get(trustDomain)?.keys.get(kid) ?? null;
  }

  /** Calls `listener` for each key that is believed no more. Returns how to stop. */
  onEnded(listener: (keyId: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** A key stays the one that it was for as long as it is the same. */
  #replace(bundle: HeldBundle, keys: TrustBundle): void {
    const before = bundle.keys;
    const same = (kid: string) => JSON.stringify(before.get(kid)?.jwk) === JSON.stringify(keys.get(kid)?.jwk);
    bundle.keys = new Map([...keys].map(([kid, key]) => [kid, same(kid) ? (before.get(kid) as VerifyingKey) : key]));
    for (const [kid, key] of before) {
      if (same(kid)) continue;
      for (const listener of [...this.#listeners]) listener(foreignKeyId(bundle.trustDomain, key));
    }
  }
}

/** What calls hang on that a key of others has opened: no key of ours has a `#` in its id. */
export const foreignKeyId = (trustDomain: string, { kid, number }: VerifyingKey): string =>
  `${trustDomain}#${kid}#${number}`;

const stampOf = async (file: string): Promise<string> => {
  try {
    const { ino, size, mtimeMs } = await stat(file);
    return `${ino}/${size}/${mtimeMs}`;
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
};
