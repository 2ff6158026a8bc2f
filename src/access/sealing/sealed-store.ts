/** A sealed text where it is kept. */
export interface StoredSeal {
  /** What it was sealed for. */
  purpose: string;
  sealed: string;
  /** Where it is, in the words of the store: opaque, and where a walk goes on. */
  place: string;
}

/** Everything sealed that the ledger has, for the change of keys. */
export interface SealedStore {
  /** In a stable order, those behind `after`, at most `limit`. A page may be short; the last one is empty. */
  walk(query: { after: string | null; limit: number }): Promise<StoredSeal[]>;
  /** Puts another text in its place if it is still that one. */
  replace(command: { seal: StoredSeal; sealed: string }): Promise<boolean>;
}
