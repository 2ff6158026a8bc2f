import { dirname, join, resolve } from "node:path";
import { z } from "zod";
import { ConfigError, type ConfigPath } from "../config/config-error.js";
import { explainIssues } from "../config/explain.js";
import { inOrder } from "../config/findings.js";
import { readConfigFile } from "../config/read-config-file.js";
import { cards } from "../config/schema/cards.js";
import { storage as storageSettings } from "../config/schema/storage.js";
import { YamlSource } from "../config/yaml-source.js";
import type { LedgerPlace } from "../store/copy/ledger-place.js";

const PATH = ["dataDir"];

/**
 * The data directory that a configuration names, and nothing else of it: a command that talks to a running daemon must
 * not fail because a provider's key is missing in this shell. The file is read within the same bounds as by the daemon.
 */
export async function dataDirOf(configFile: string, env: NodeJS.ProcessEnv): Promise<string> {
  return namedIn(await read(configFile, env), configFile);
}

/** Where the ledger of a configuration is, and nothing else of it. */
export async function ledgerPlaceOf(configFile: string, env: NodeJS.ProcessEnv): Promise<LedgerPlace> {
  const source = await read(configFile, env, ["dataDir", "storage"]);
  const storage = (source.data as { storage?: object | null } | null | undefined)?.storage ?? { type: "sqlite" };
  // How many connections a daemon makes is its own affair, and so is a variable that says it.
  const { poolSize: _, ...place } = storage as Record<string, unknown>;
  const parsed = z.object({ storage: storageSettings }).safeParse({ storage: place });
  if (!parsed.success) throw new ConfigError(inOrder(explainIssues(parsed.error.issues, source)));
  const settings = parsed.data.storage;
  if (settings.type === "postgres") return { type: "postgres", url: settings.url, schema: settings.schema };
  return { type: "sqlite", file: join(namedIn(source, configFile), "ledger.db") };
}

/** Where the keys that sign cards are, and nothing else of it; null when no file is named. */
export async function signingKeyFileOf(configFile: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  const source = await read(configFile, env, ["cards"]);
  const parsed = z.looseObject({ cards: cards.nullish() }).safeParse(source.data ?? {});
  if (!parsed.success) throw new ConfigError(inOrder(explainIssues(parsed.error.issues, source)));
  const file = parsed.data.cards?.signingKeyFile;
  return file === undefined ? null : resolve(dirname(configFile), file);
}

/** Where the keys are that seal what is stored of secrets. */
export async function sealingKeyFileOf(configFile: string, env: NodeJS.ProcessEnv): Promise<string> {
  const source = await read(configFile, env, ["dataDir", "access"]);
  const access = (source.data as { access?: { sealingKeyFile?: unknown } | null } | null | undefined)?.access;
  const named = access?.sealingKeyFile;
  if (named === undefined) return join(namedIn(source, configFile), "keys", "sealing.json");
  if (typeof named === "string" && named !== "") return resolve(dirname(configFile), named);
  throw new ConfigError([source.problem(["access", "sealingKeyFile"], "use the path of a file")]);
}

async function read(configFile: string, env: NodeJS.ProcessEnv, wanted = ["dataDir"]): Promise<YamlSource> {
  const text = await readConfigFile(configFile);
  const isWanted = ([key, inner]: ConfigPath) => wanted.includes(String(key)) && inner !== "poolSize";
  const source = new YamlSource(text, configFile, env, isWanted);
  if (source.problems.length > 0) throw new ConfigError(inOrder(source.problems));
  return source;
}

function namedIn(source: YamlSource, configFile: string): string {
  const named = (source.data as { dataDir?: unknown } | null | undefined)?.dataDir ?? "./data";
  if (typeof named !== "string" || named === "") {
    throw new ConfigError([source.problem(PATH, "use the path of a directory")]);
  }
  return resolve(dirname(configFile), named);
}
