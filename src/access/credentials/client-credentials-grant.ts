import { createHash } from "node:crypto";
import type { Outbound } from "../../outbound/outbound.js";
import type { Clock } from "../../shared/clock.js";
import { NuncioError } from "../../shared/errors.js";
import type { ClientCredentials } from "./credential.js";

export interface GrantDeps {
  outbound(): Promise<Pick<Outbound, "fetch">>;
  clock: Clock;
  /** Lets the client's secret go over plain http. */
  development: boolean;
}

/** A token is not used any more when it would end within this time, ms: it has to reach the other side, and last there. */
const SPARE_MS = 60_000;
/** Where nothing is said of its end (RFC 6749, 5.1), and the most that is believed, ms. */
const UNSAID_MS = 60_000;
const LONGEST_MS = 86_400_000;

const LIMITS = { headersMs: 15_000, totalMs: 20_000, maxBytes: 64 * 1024 };
const VISIBLE = /^[\x21-\x7e]{1,16384}$/;

interface Kept {
  token: string;
  until: number;
}

/**
 * Gets access tokens by a client's own credentials (RFC 6749, 4.4) and keeps each until shortly before its end, in memory
 * alone. Nothing of an answer but its token and its time is looked at, and none of it is in an error.
 */
export class ClientCredentialsGrant {
  readonly #deps: GrantDeps;
  readonly #kept = new Map<string, Kept>();
  /** Who asks while somebody asks already waits for the same answer. */
  readonly #asking = new Map<string, Promise<Kept>>();

  constructor(deps: GrantDeps) {
    this.#deps = deps;
  }

  /** @throws NuncioError `unavailable` or `failed_precondition`, reason TOKEN_NOT_GIVEN; of the way out */
  async token(credential: ClientCredentials, signal?: AbortSignal): Promise<string> {
    const key = keyOf(credential);
    const kept = this.#kept.get(key);
    if (kept !== undefined && this.#deps.clock.now() < kept.until) return kept.token;
    let asking = this.#asking.get(key);
    if (asking === undefined) {
      asking = this.#ask(credential).finally(() => this.#asking.delete(key));
      this.#asking.set(key, asking);
      asking.then(
        (fresh) => this.#keep(key, fresh),
        () => {},
      );
    }
    const { token } = await untilAborted(asking, signal);
    return token;
  }

  forget(credential: ClientCredentials): void {
    this.#kept.delete(keyOf(credential));
  }

  #keep(key: string, fresh: Kept): void {
    const now = this.#deps.clock.now();
    for (const [known, { until }] of this.#kept) if (until <= now) this.#kept.delete(known);
    this.#kept.set(key, fresh);
  }

  async #ask({ tokenUrl, clientId, clientSecret, scope }: ClientCredentials): Promise<Kept> {
    if (!this.#deps.development && !/^https:/i.test(tokenUrl)) throw refusedToken("its tokenUrl must be https://");
    const outbound = await this.#deps.outbound();
    const response = await outbound.fetch(tokenUrl, {
      endpoint: "operator",
      method: "POST",
      headers: {
        accept: "application/json",
        "content-type": "application/x-www-form-urlencoded",
        authorization: `Basic ${Buffer.from(`${formed(clientId)}:${formed(clientSecret)}`).toString("base64")}`,
      },
      body: new URLSearchParams({ grant_type: "client_credentials", ...(scope !== null && { scope }) }).toString(),
      limits: LIMITS,
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw notGiven(`it answered with status ${response.status}`, response.status >= 500 || response.status === 429);
    }
    return this.#read(await response.text());
  }

  #read(text: string): Kept {
    let answer: unknown;
    try {
      answer = JSON.parse(text);
    } catch {
      throw notGiven("its answer is not JSON", false);
    }
    const { access_token, token_type, expires_in } = (answer ?? {}) as Record<string, unknown>;
    if (typeof access_token !== "string" || !VISIBLE.test(access_token))
      throw notGiven("its answer has no token", false);
    if (typeof token_type !== "string" || token_type.toLowerCase() !== "bearer") {
      throw notGiven("its token is no bearer token", false);
    }
    const seconds = typeof expires_in === "string" ? Number(expires_in) : expires_in;
    const lasts = typeof seconds === "number" && seconds >= 0 ? Math.min(seconds * 1000, LONGEST_MS) : UNSAID_MS;
    return { token: access_token, until: this.#deps.clock.now() + Math.max(0, lasts - SPARE_MS) };
  }
}

const keyOf = ({ tokenUrl, clientId, clientSecret, scope }: ClientCredentials): string =>
  createHash("sha256")
    .update(JSON.stringify([tokenUrl, clientId, clientSecret, scope]))
    .digest("base64");

/** RFC 6749, 2.3.1: as in a form, before they become one text. */
const formed = (text: string): string => new URLSearchParams([["", text]]).toString().slice(1);

/** The answer is for everybody who waits; who does not want to wait any more goes alone. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const aborted = () => reject(signal.reason);
    signal.addEventListener("abort", aborted, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", aborted));
  });
}

const refusedToken = (problem: string): NuncioError =>
  new NuncioError("failed_precondition", `no access token was asked for: ${problem}`, { reason: "TOKEN_NOT_GIVEN" });

const notGiven = (problem: string, retryable: boolean): NuncioError =>
  new NuncioError(retryable ? "unavailable" : "failed_precondition", `no access token was given out: ${problem}`, {
    reason: "TOKEN_NOT_GIVEN",
  });
