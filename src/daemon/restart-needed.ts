import { isDeepStrictEqual } from "node:util";
import type { Config } from "../config/config.js";

/**
 * Settings on which stands what is built once: files that are held, listeners that listen, the names by which others
 * know our agents.
 */
const BUILT_ONCE: Record<string, (config: Config) => unknown> = {
  mode: ({ mode }) => mode,
  dataDir: ({ dataDir }) => dataDir,
  "server.host": ({ server }) => server.host,
  "server.port": ({ server }) => server.port,
  "server.grpcPort": ({ server }) => server.grpcPort,
  "server.maxBodyBytes": ({ server }) => server.maxBodyBytes,
  "server.maxConnections": ({ server }) => server.maxConnections,
  "access.trustDomain": ({ access }) => access.trustDomain,
  "access.sealingKeyFile": ({ access }) => access.sealingKeyFile,
  console: ({ console }) => console,
  storage: ({ storage }) => storage,
};

/** Which settings are different in a way that only a restart brings into effect. */
export const restartNeeded = (before: Config, after: Config): string[] =>
  Object.entries(BUILT_ONCE)
    .filter(([, of]) => !isDeepStrictEqual(of(before), of(after)))
    .map(([setting]) => setting);
