/**
 * What exactly the operator has reviewed of a peer. Where the peer differs from it later, it is not spoken to until the
 * operator has looked at the difference.
 */
export interface Pin {
  schema: 1;
  peer: string;
  /** Where messages go. */
  endpoint: string;
  cardUrl: string;
  /** The only addresses that are dialed, whatever the names resolve to. */
  addresses: readonly string[];
  /** Plain http to this machine: for a rehearsal. */
  local: boolean;
  /** `sha256:…` of the canonical form (RFC 8785) of the card without its signatures. */
  cardDigest: string;
  /** Key ids and thumbprints of the card's signatures, sorted; empty for a card that is not signed. */
  cardKeys: readonly string[];
  /** The reviewed card: so that a difference can be shown. */
  card: Record<string, unknown>;
  skill: string;
  /** The opaque tenant of the selected interface; null where it has none. */
  tenant: string | null;
  /** What may be disclosed: paths in the snapshot of a planned task. */
  files: readonly string[];
  supports: { cancel: boolean; streaming: boolean };
  /** The operator's statement; it proves nothing. */
  retention: "volatile" | "durable" | "unknown";
  credentialFile: string;
  /** `sha256:…` of the token. */
  credentialDigest: string;
  /** How many dispatches it may have at work at the same time. */
  slots: number;
  /** ISO 8601. */
  pinnedAt: string;
}
