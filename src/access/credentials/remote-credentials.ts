import { NuncioError } from "../../shared/errors.js";
import type { AgentName } from "../agent-name.js";
import { matchesUrl, parseUrlPattern, type UrlPattern } from "../policy/url-pattern.js";
import type { ClientCredentialsGrant } from "./client-credentials-grant.js";
import { type Credential, secretOf } from "./credential.js";

/** Which credential is shown to which agents of others (`a2a.credentials`). */
export interface CredentialFor {
  /** URLs of agents, as in a policy. */
  target: string;
  file: string;
  /** Whom a token of type `agentToken` is for: never what a card says, which could have one made for somebody else. */
  audience?: string | undefined;
}

/** What goes into a request, and what of it must stand nowhere else. */
export interface Shown {
  headers: Readonly<Record<string, string>>;
  secrets: readonly string[];
}

export interface RemoteCredentialsDeps {
  read(file: string): Credential;
  grant: Pick<ClientCredentialsGrant, "token" | "forget">;
  mint(agent: AgentName, audience: string, lifetimeMs: number): Promise<{ token: string }>;
  /** Lets a credential go over plain http. */
  development: boolean;
}

/** A token is for the call that it is made for. */
const TOKEN_MS = 300_000;

/** The header by which agents of ours are known (docs/a2a.md). */
const AGENT_TOKEN_HEADER = "x-nuncio-agent-token";

/** The credentials of the operator for agents of others. Nobody but the operator says which one goes where. */
export class RemoteCredentials {
  readonly #entries: readonly { pattern: UrlPattern; entry: CredentialFor }[];
  readonly #deps: RemoteCredentialsDeps;

  constructor(entries: readonly CredentialFor[], deps: RemoteCredentialsDeps) {
    this.#entries = entries.flatMap((entry) => {
      const pattern = parseUrlPattern(entry.target);
      return pattern === null ? [] : [{ pattern, entry }];
    });
    this.#deps = deps;
  }

  /** The one for the agent at this URL, the first that fits; null where there is none. */
  find(agentUrl: string): RemoteCredential | null {
    const found = this.#entries.find(({ pattern }) => matchesUrl(pattern, agentUrl));
    return found === undefined ? null : new RemoteCredential(found.pattern, found.entry, this.#deps);
  }
}

/** One credential, and where it may go. */
export class RemoteCredential {
  readonly #pattern: UrlPattern;
  readonly #entry: CredentialFor;
  readonly #deps: RemoteCredentialsDeps;

  constructor(pattern: UrlPattern, entry: CredentialFor, deps: RemoteCredentialsDeps) {
    this.#pattern = pattern;
    this.#entry = entry;
    this.#deps = deps;
  }

  /** Whether it may be shown at a URL that a card names: one that the operator's pattern means, and no other. */
  covers(url: string): boolean {
    return (this.#deps.development || this.#pattern.scheme === "https:") && matchesUrl(this.#pattern, url);
  }

  /**
   * What is shown on behalf of a persona. The file is read each time, so that a new one counts from the next call on.
   *
   * @throws NuncioError of the file, or of whoever gives out the token
   */
  async show(agent: AgentName, signal?: AbortSignal): Promise<Shown> {
    const credential = this.#deps.read(this.#entry.file);
    const secret = secretOf(credential);
    const kept = secret === null ? [] : [secret];
    switch (credential.type) {
      case "bearer":
        return bearer(credential.token, kept);
      case "apiKey":
        return {
          headers: { [credential.header.toLowerCase()]: credential.value },
          secrets: [...kept, ...longPieces(credential.value)],
        };
      case "oauth2ClientCredentials":
        return bearer(await this.#deps.grant.token(credential, signal), kept);
      case "agentToken": {
        const { audience, file } = this.#entry;
        if (audience === undefined) {
          throw new NuncioError(
            "failed_precondition",
            `${file} says agentToken, and a2a.credentials names no audience`,
            {
              reason: "AUDIENCE_MISSING",
              hint: "add the SPIFFE id of the agent that is called, such as audience: spiffe://example.com/agents/desk",
            },
          );
        }
        const { token } = await this.#deps.mint(agent, audience, TOKEN_MS);
        return { headers: { [AGENT_TOKEN_HEADER]: token }, secrets: [token] };
      }
    }
  }

  /** The other side did not take it: a token that is kept is of no use any more. */
  refused(): void {
    try {
      const credential = this.#deps.read(this.#entry.file);
      if (credential.type === "oauth2ClientCredentials") this.#deps.grant.forget(credential);
    } catch {
      // What is wrong with the file shows at the next call.
    }
  }
}

/** `Basic …` and `session=…` are secret for what stands behind the name of its kind, also without that. */
const longPieces = (value: string): string[] =>
  value.split(/[\s;,=]+/).filter((piece) => piece.length >= 12 && piece !== value);

const bearer = (token: string, kept: readonly string[]): Shown => ({
  headers: { authorization: `Bearer ${token}` },
  secrets: [...new Set([token, ...kept])],
});
