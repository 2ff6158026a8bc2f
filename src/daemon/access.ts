import { isDeepStrictEqual } from "node:util";
import type { AcceptedTokens } from "../a2a/server/edge.js";
import type { AgentName } from "../access/agent-name.js";
import { AgentKeys } from "../access/agent-tokens/agent-keys.js";
import { AgentTokenIssuer } from "../access/agent-tokens/agent-token-issuer.js";
import { AgentTokenReader } from "../access/agent-tokens/agent-token-reader.js";
import type { SigningKey } from "../access/agent-tokens/signing-key.js";
import { TrustBundles } from "../access/agent-tokens/trust-bundles.js";
import type { HostedAgents } from "../access/hosted-agents.js";
import { KeyCache } from "../access/key-cache.js";
import type { FetchJson } from "../access/oidc/fetch-json.js";
import { OidcTokenReader } from "../access/oidc/oidc-token-reader.js";
import type { Sealer } from "../access/sealing/sealer.js";
import type { Config } from "../config/config.js";
import type { ControlDeps } from "../http/control/deps.js";
import type { Clock } from "../shared/clock.js";
import { sqlAccessStore } from "../store/access/access-store.js";
import type { Database } from "../store/sql-ledger.js";
import type { Logger } from "../telemetry/logger.js";

/** Whose word the operator takes for who somebody is. */
type Trusted = Pick<Config["access"], "trustDomain" | "trustBundles" | "oidc">;

export interface AccessParts {
  config: { access: Trusted };
  database: Database;
  clock: Clock;
  /** No other process can work on the ledger. */
  alone: boolean;
  hosted: HostedAgents;
  sealer: Sealer;
  fetchJson: FetchJson;
  logger: Logger;
}

export interface Access {
  keys: KeyCache;
  tokens: AcceptedTokens;
  /** The public keys of an agent of ours; absent where agents have no tokens. */
  agentKeysOf: ((agent: AgentName) => readonly SigningKey[]) | undefined;
  /** What the control API does with it. */
  control: ControlDeps["access"];
  /** Gets to know what callers may show, so that they cost no query. Before anybody is let in. */
  load(): Promise<void>;
  /** Whose tokens another configuration believes, ready to be believed. The answer brings it into force. */
  prepare(config: Config): Promise<() => AcceptedTokens>;
  close(): void;
}

/** Who is believed to be who. */
export function composeAccess({ config, ...parts }: AccessParts): Access {
  const { database, clock, alone, hosted, sealer } = parts;
  const { trustDomain } = config.access;
  const store = sqlAccessStore(database);
  const keys = new KeyCache(store, { alone, clock });
  const agentKeys = new AgentKeys(store, { clock, alone });
  let believed = believe(config.access, agentKeys, parts);
  return {
    keys,
    agentKeysOf: trustDomain === undefined ? undefined : (agent) => agentKeys.of(agent),
    tokens: believed.tokens,
    control: {
      keys,
      tenants: store,
      agentTokens: new AgentTokenIssuer({ trustDomain, store, keys: agentKeys, sealer, hosted, clock }),
    },
    async load() {
      await Promise.all([keys.load(), trustDomain === undefined ? undefined : agentKeys.load(), believed.load()]);
    },
    async prepare({ access }) {
      const same = isDeepStrictEqual(access.trustBundles, believed.by.trustBundles);
      if (same && isDeepStrictEqual(access.oidc, believed.by.oidc)) return () => believed.tokens;
      const next = believe(access, agentKeys, parts);
      await next.load();
      return () => {
        believed.close();
        believed = next;
        return next.tokens;
      };
    },
    close: () => believed.close(),
  };
}

/** Whose tokens are believed by one configuration. */
interface Believed {
  by: Trusted;
  tokens: AcceptedTokens;
  load(): Promise<void>;
  close(): void;
}

/** How often the files of trust bundles are looked at, ms. */
const LOOK_EVERY_MS = 5000;

function believe(by: Trusted, agentKeys: AgentKeys, parts: Omit<AccessParts, "config">): Believed {
  const { clock, hosted, fetchJson, logger } = parts;
  const { trustDomain, trustBundles, oidc } = by;
  const files = Object.entries(trustBundles).map(([domain, { jwksFile }]) => ({ trustDomain: domain, file: jwksFile }));
  const bundles = new TrustBundles(files, ({ trustDomain: domain, file }, problem) =>
    logger.error({ trustDomain: domain, file }, `the trust bundle ${problem}: the keys that it had are kept`),
  );
  const looking = files.length === 0 ? undefined : setInterval(() => void bundles.look(), LOOK_EVERY_MS).unref();
  const ended = [agentKeys, bundles];
  const onProblem = (err: unknown, issuer: string) =>
    logger.warn({ err, issuer }, "the keys of an identity provider cannot be had");
  return {
    by,
    tokens: {
      agent:
        trustDomain === undefined ? undefined : new AgentTokenReader({ trustDomain, keys: agentKeys, bundles, hosted }),
      bearer: oidc.length === 0 ? undefined : new OidcTokenReader(oidc, { fetchJson, clock, onProblem }),
      onEnded(listener) {
        const stop = ended.map((source) => source.onEnded(listener));
        return () => {
          for (const one of stop) one();
        };
      },
    },
    load: () => bundles.look(),
    close: () => clearInterval(looking),
  };
}
