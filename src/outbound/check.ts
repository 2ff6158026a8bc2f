import { isMetadataName, judgeAddress } from "./address-rules.js";
import type { AllowedPairs } from "./allowed-pairs.js";
import { addressRefused, httpsRequired, pinRefused } from "./errors.js";
import { type Pinned, pinnedProblem } from "./pinned.js";
import { type Resolver, resolveName } from "./resolve.js";
import { parseTarget, type Target } from "./target.js";

/**
 * Who chose where this leads. A `foreign` endpoint is named by a caller, a card or a model; an `operator` endpoint
 * stands in the configuration or on the operator's command line, and may be on this machine or in the local network.
 */
export type Endpoint = "operator" | "foreign";

export interface Rules {
  mode: "development" | "production";
  allow: AllowedPairs;
  resolver: Resolver;
}

/** A URL that may be opened, with the addresses to which that permission is bound. Only this class makes one. */
export class Checked {
  /** So that no other object has this type. */
  readonly #checked = true;

  private constructor(
    readonly target: Target,
    /** Not empty; what is dialed is one of these, whatever the name resolves to by then. */
    readonly addresses: readonly string[],
  ) {}

  static is(value: unknown): value is Checked {
    return typeof value === "object" && value !== null && #checked in value;
  }

  /**
   * Reads, resolves and judges. **Every** address must be fit: with one that is not, whose turn it is would be up to
   * chance, or to whoever answers for the name.
   *
   * @throws NuncioError with an `OutboundReason`
   */
  static async url(rules: Rules, url: string | URL, endpoint: Endpoint): Promise<Checked> {
    const target = parseTarget(url);
    if (endpoint === "foreign" && rules.mode === "production" && !target.secure) throw httpsRequired();
    if (isMetadataName(target.host)) throw addressRefused(target.host);
    const trusted = endpoint === "operator" || rules.allow.has(target);
    const addresses = target.isAddress ? [target.host] : await resolveName(rules.resolver, target.host);
    for (const address of addresses) {
      const verdict = judgeAddress(address);
      if (verdict === "metadata" || (verdict === "internal" && !trusted)) throw addressRefused(target.host);
    }
    return new Checked(target, addresses);
  }

  /**
   * Permission for addresses that the operator has pinned: the name is not asked for, and says only for whom the certificate
   * has to be.
   *
   * @throws NuncioError with an `OutboundReason`
   */
  static pinned(url: string | URL, pinned: Pinned): Checked {
    const target = parseTarget(url);
    if (isMetadataName(target.host)) throw addressRefused(target.host);
    const problem = pinnedProblem(target, pinned);
    if (problem !== null) throw pinRefused(problem);
    return new Checked(target, [...pinned.addresses]);
  }
}
