import { invalidArgument } from "../shared/errors.js";
import { parseTarget, type Target } from "./target.js";

/**
 * The `host:port` pairs that the operator lets through the address rules. A pair is matched against the URL's own host and
 * port, never against what a name resolves to: whoever may name `127.0.0.1:9000` may not reach it by another name.
 */
export class AllowedPairs {
  readonly #pairs: ReadonlySet<string>;

  /** @throws NuncioError `invalid_argument` for what is no host and port */
  constructor(pairs: readonly string[]) {
    this.#pairs = new Set(pairs.map(readPair));
  }

  has(target: Target): boolean {
    return this.#pairs.has(pairOf(target));
  }
}

const pairOf = ({ host, port }: Target): string => `${host} ${port}`;

/** Both schemes have a default port, which the URL parser drops: here the port stays what it says. */
function readPair(pair: string): string {
  const [, host, port] = /^([^/]+):(\d{1,5})$/.exec(pair) ?? [];
  try {
    if (host !== undefined) return pairOf({ ...parseTarget(`http://${host}`), port: Number(port) });
  } catch {}
  throw invalidArgument("outbound.allow", `${JSON.stringify(pair)} is not HOST:PORT`);
}
