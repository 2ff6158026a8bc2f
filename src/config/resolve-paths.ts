import { isAbsolute, resolve } from "node:path";
import type { Config } from "./config.js";

/** Relative paths are relative to the file, wherever the daemon was started. */
export function resolvePaths(config: Config, directory: string): Config {
  const from = (path: string) => resolve(directory, path);
  const { a2a, cards, access, providers } = config;
  return {
    ...config,
    dataDir: from(config.dataDir),
    a2a: { ...a2a, credentials: a2a.credentials.map((credential) => ({ ...credential, file: from(credential.file) })) },
    cards: cards.signingKeyFile === undefined ? cards : { ...cards, signingKeyFile: from(cards.signingKeyFile) },
    access: {
      ...access,
      trustBundles: mapValues(access.trustBundles, (bundle) => ({ jwksFile: from(bundle.jwksFile) })),
      ...(access.sealingKeyFile === undefined ? {} : { sealingKeyFile: from(access.sealingKeyFile) }),
    },
    providers: mapValues(providers, (provider) =>
      provider.type === "command"
        ? {
            ...provider,
            command: program(provider.command, directory),
            ...(provider.cwd === undefined ? {} : { cwd: from(provider.cwd) }),
          }
        : provider,
    ),
  };
}

/** A bare name is looked up in PATH; one with a slash is a path. */
const program = (command: string, directory: string): string =>
  isAbsolute(command) || !command.includes("/") ? command : resolve(directory, command);

const mapValues = <T>(map: Readonly<Record<string, T>>, change: (value: T) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));
