import { nuncioVersion } from "../shared/version.js";
import { AllowedPairs } from "./allowed-pairs.js";
import { Checked, type Endpoint, type Rules } from "./check.js";
import { Deadline } from "./deadline.js";
import { timedOut } from "./errors.js";
import { guardedFetch } from "./guarded-fetch.js";
import { OUTBOUND_LIMITS, type OutboundLimits } from "./limits.js";
import type { Pinned } from "./pinned.js";
import { type Resolver, resolveName, systemResolver } from "./resolve.js";
import { parseTarget } from "./target.js";

export interface OutboundOptions {
  mode: "development" | "production";
  /** `host:port` pairs that may be opened although their addresses are not public. */
  allow: readonly string[];
  resolver?: Resolver;
  /** Certificates of authorities (PEM), in place of those that Node trusts. */
  ca?: readonly string[];
}

export interface CheckOptions {
  /** Whose choice the URL is; `foreign` when absent. */
  endpoint?: Endpoint;
  signal?: AbortSignal | undefined;
  limits?: Partial<OutboundLimits>;
}

type HeadersGiven = ConstructorParameters<typeof Headers>[0];

export interface OutboundRequest extends CheckOptions {
  method?: string;
  headers?: HeadersGiven;
  body?: string | Uint8Array;
}

/**
 * The only way out. Failures are `NuncioError`s with an `OutboundReason`; an abort of the caller's signal rejects with
 * the signal's reason.
 */
export interface Outbound {
  /** Whether a URL may be opened now, by the rule that `fetch` goes by; nothing is connected. */
  check(url: string | URL, options?: CheckOptions): Promise<Checked>;
  /** Permission to open a URL at addresses that the operator has pinned, and at no others. Nothing is resolved. */
  pinned(url: string | URL, pinned: Pinned): Checked;
  /** What the host of a URL resolves to now; itself, when it is an address. Nothing is judged, and nothing connected. */
  resolve(url: string | URL, options?: Pick<CheckOptions, "signal" | "limits">): Promise<readonly string[]>;
  /**
   * One request. A URL is checked first; what has been checked is dialed at the addresses that it was checked with.
   * Resolves with the answer's headers, whatever its status other than a redirect; its body has to be read or canceled,
   * and fails when it exceeds its limits.
   */
  fetch(url: string | URL | Checked, request?: OutboundRequest): Promise<Response>;
  /** `fetch` in the form in which clients of others take it. */
  fetchFor(options: CheckOptions): typeof globalThis.fetch;
}

export function createOutbound({ mode, allow, resolver = systemResolver, ca }: OutboundOptions): Outbound {
  const rules: Rules = { mode, allow: new AllowedPairs(allow), resolver };

  /** Resolving a name counts as connecting: both are waited for at most so long. */
  async function checked(url: string | URL, endpoint: Endpoint, connectMs: number, deadline: Deadline) {
    const late = deadline.within(connectMs, () => timedOut(parseTarget(url).host, "connect", connectMs, false));
    try {
      return await deadline.until(Checked.url(rules, url, endpoint));
    } finally {
      late.over();
    }
  }

  const outbound: Outbound = {
    async check(url, { endpoint = "foreign", signal, limits } = {}) {
      const deadline = new Deadline(signal);
      try {
        return await checked(url, endpoint, limits?.connectMs ?? OUTBOUND_LIMITS.connectMs, deadline);
      } finally {
        deadline.end();
      }
    },

    pinned: (url, pinned) => Checked.pinned(url, pinned),

    async resolve(url, { signal, limits } = {}) {
      const { host, isAddress } = parseTarget(url);
      if (isAddress) return [host];
      const deadline = new Deadline(signal);
      const ms = limits?.connectMs ?? OUTBOUND_LIMITS.connectMs;
      deadline.within(ms, () => timedOut(host, "connect", ms, false));
      try {
        return await deadline.until(resolveName(resolver, host));
      } finally {
        deadline.end();
      }
    },

    async fetch(url, { endpoint = "foreign", signal, limits: own, method = "GET", headers, body } = {}) {
      const limits = { ...OUTBOUND_LIMITS, ...own };
      const deadline = new Deadline(signal);
      try {
        const { host } = Checked.is(url) ? url.target : parseTarget(url);
        deadline.within(limits.totalMs, () => timedOut(host, "total", limits.totalMs, true));
        const open = Checked.is(url) ? url : await checked(url, endpoint, limits.connectMs, deadline);
        return await guardedFetch({
          checked: open,
          method,
          headers: withDefaults(headers),
          body,
          limits,
          deadline,
          ca,
        });
      } catch (error) {
        deadline.end();
        throw error;
      }
    },

    fetchFor: (options) => async (input, init) => {
      const request = new Request(input, init);
      const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer());
      return outbound.fetch(request.url, {
        ...options,
        method: request.method,
        headers: request.headers,
        ...(body !== undefined && { body }),
        signal: init?.signal ?? (input instanceof Request ? input.signal : options.signal),
      });
    },
  };
  return outbound;
}

/** The host is what was checked, and nothing that is packed has to be unpacked: a few bytes cannot become many. */
function withDefaults(given: HeadersGiven | undefined): Headers {
  const headers = new Headers(given);
  headers.delete("host");
  headers.set("accept-encoding", "identity");
  if (!headers.has("user-agent")) headers.set("user-agent", `nuncio/${nuncioVersion()}`);
  return headers;
}
