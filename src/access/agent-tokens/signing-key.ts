import type { AgentName } from "../agent-name.js";
import type { P256Key } from "../jwt/p256-key.js";

/** The public part of a key that an agent of ours signs its tokens with, and how long it counts. Times are ms. */
export interface SigningKey extends AgentName {
  /** Thumbprint of the key. */
  kid: string;
  publicKey: P256Key;
  createdAt: number;
  /** From when on another one signs; null while it does. */
  retiredAt: number | null;
  /** Until when tokens that it has signed count; null while it signs. */
  acceptedUntil: number | null;
}

/** A signing key with its private part, which only the key file of the daemon opens. */
export interface SealedSigningKey {
  key: SigningKey;
  sealed: string;
}

/** What the private part is sealed for: it cannot be put in the place of another one. */
export const sealPurpose = ({ tenant, name, kid }: Pick<SigningKey, "tenant" | "name" | "kid">): string =>
  `agent signing key ${tenant}/${name}/${kid}`;

export const isInForce = ({ acceptedUntil }: SigningKey, now: number): boolean =>
  acceptedUntil === null || acceptedUntil > now;

/** Where signing keys are kept. At most one key of an agent signs at a time, whatever several nodes do. */
export interface SigningKeyStore {
  /** The key that signs for an agent; null before its first one. */
  signingKey(agent: AgentName): Promise<SealedSigningKey | null>;
  /** Makes this the key that signs, unless there is one: which it then is. */
  firstSigningKey(command: SealedSigningKey): Promise<SealedSigningKey>;
  /**
   * Makes this the key that signs. The one before, and all that still count, do so until `acceptedUntil` at most; which is
   * forgotten when it has passed. Answers with those that counted until now.
   */
  rotateSigningKey(command: SealedSigningKey & { now: number; acceptedUntil: number }): Promise<SigningKey[]>;
  /** Keys of an agent that count at this time, in the order in which they were made. */
  signingKeysOf(query: AgentName & { now: number }): Promise<SigningKey[]>;
  /** Keys, of all agents, that were made or changed at this time (ms) or later. */
  signingKeysSince(since: number): Promise<SigningKey[]>;
}
