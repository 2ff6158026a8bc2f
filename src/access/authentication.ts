import type { AgentName } from "./agent-name.js";
import type { Principal } from "./principal.js";

/** Who calls, or why we do not know. The reason is for logs: the caller learns only that the credential is not valid. */
export type Authentication = Authenticated | Unauthenticated;

export interface Authenticated {
  principal: Principal;
  /** What was shown, or what it was signed with: what it opened ends when that is revoked. */
  keyId?: string;
  /** When the credential ends, ms, and with it what it opened. */
  expiresAt?: number;
}

export interface Unauthenticated {
  principal: null;
  why:
    | "missing"
    /** Two credentials at once, of which nobody says which one counts. */
    | "ambiguous"
    /** Addressed to a name that anybody may have lead here. */
    | "foreign host"
    | "malformed"
    /** A key that is none of ours, or a token of an issuer, an agent or a key that we do not know. */
    | "unknown"
    | "revoked"
    | "expired"
    /** Of a token: it is not to be used yet, it ends too far ahead, it is meant for somebody else, it is not signed so. */
    | "early"
    | "long-lived"
    | "audience"
    | "signature";
}

/** What a request shows of who it comes from, as it came. */
export interface Credentials {
  /** The `Authorization` header. */
  authorization: string | undefined;
  /** The `X-Nuncio-Agent-Token` header. */
  agentToken?: string | undefined;
  /** The `Host` header, where a browser may have sent the request. */
  host?: string | undefined;
}

/** A token whose signature is right. Whether it is good for this agent and at this time is asked at each request. */
export interface SignedToken {
  /** @param now ms */
  holder(agent: AgentName, now: number): Authentication;
}

/** Believes tokens of one kind. */
export interface TokenReader {
  /**
   * @param agent that is called: a token that is not meant for it is not looked at any further
   * @param now ms
   */
  read(text: string, agent: AgentName, now: number): Promise<SignedToken | Unauthenticated>;
}

export const refused = (why: Unauthenticated["why"]): Unauthenticated => ({ principal: null, why });
