import { digestOf } from "../../shared/digest.js";

/** By what an outside agent gets to know who we are, or we who it is. */
export type Credential = BearerCredential | ApiKeyCredential | ClientCredentials | AgentTokenCredential;

/** Between peers: the same text in both houses. */
export interface BearerCredential {
  type: "bearer";
  /** Whom it is for, by the name that it has here. */
  peer: string;
  token: string;
}

export interface ApiKeyCredential {
  type: "apiKey";
  /** Name of the header that it goes into. */
  header: string;
  value: string;
}

/** RFC 6749, 4.4. */
export interface ClientCredentials {
  type: "oauth2ClientCredentials";
  tokenUrl: string;
  clientId: string;
  clientSecret: string;
  scope: string | null;
}

/** The token that the calling persona has as an agent of ours: nothing is kept. */
export interface AgentTokenCredential {
  type: "agentToken";
}

export type CredentialType = Credential["type"];

/** What a peer may be called: it stands in file names, tables and the names of tasks. */
export const PEER_NAME = /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/;
export const PEER_NAME_FORM = "1 to 64 of a-z, 0-9, '.', '_' and '-', a letter or digit first and last";

/** What fits into a header as one word. A token that can be guessed is none. */
export const TOKEN = /^[\x21-\x7e]{16,4096}$/;

/** By which a token is known where it must not be seen. */
export const credentialDigest = (token: string): string => digestOf(token);

/** The secret of a credential; null where it has none. */
export function secretOf(credential: Credential): string | null {
  switch (credential.type) {
    case "bearer":
      return credential.token;
    case "apiKey":
      return credential.value;
    case "oauth2ClientCredentials":
      return credential.clientSecret;
    case "agentToken":
      return null;
  }
}
