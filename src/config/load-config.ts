import { dirname, resolve } from "node:path";
import type { Persona } from "../personas/persona.js";
import type { Profile } from "../plans/profile.js";
import { buildPersona } from "./build-persona.js";
import { buildProfiles } from "./build-profiles.js";
import type { CardKeyFile } from "./card-key-file.js";
import type { Config, LoadedConfig } from "./config.js";
import { ConfigError } from "./config-error.js";
import { findContradictions } from "./contradictions.js";
import { findCardKeys } from "./find-card-keys.js";
import { Findings, inOrder } from "./findings.js";
import { findIdlePolicies } from "./idle-policies.js";
import { isLoopback } from "./loopback.js";
import { findNamedOnly } from "./named-only.js";
import { findNotAvailable } from "./not-available.js";
import { applyOverrides } from "./overrides.js";
import { parseSettings } from "./parse-settings.js";
import { readConfigFile } from "./read-config-file.js";
import { resolvePaths } from "./resolve-paths.js";
import type { Settings } from "./schema/root.js";
import { SkillFiles } from "./skill-files.js";
import { checkTrustBundles } from "./trust-bundles.js";
import { checkWorkflows } from "./workflow/check-workflows.js";

/**
 * Reads `nuncio.yaml` and the prompt files that it names.
 *
 * @param file as the user wrote it: errors show it so
 * @param env for `${NAME}` in values and for the overrides `NUNCIO_PUBLIC_BASE_URL` and `NUNCIO_A2A_DEFAULT_AGENT`
 * @throws ConfigError with file, line, column, value and what would be right, for everything that is wrong
 */
export async function loadConfig(file: string, env: NodeJS.ProcessEnv): Promise<LoadedConfig> {
  return parseConfig(await readConfigFile(file), file, env);
}

/** The same for text that was read already. */
export async function parseConfig(text: string, file: string, env: NodeJS.ProcessEnv): Promise<LoadedConfig> {
  const { settings, source } = parseSettings(text, file, env);
  const findings = new Findings(source);
  addBuiltInProvider(settings);
  applyOverrides(settings, env, findings);
  findContradictions(settings, env, findings);
  findNotAvailable(settings, findings);
  findNamedOnly(settings, findings);
  findIdlePolicies(settings, findings);
  checkWorkflows(settings, findings);
  const directory = dirname(resolve(file));
  await checkTrustBundles(settings, directory, findings);
  const personas = await buildPersonas(settings, directory, findings);
  const profiles = await buildProfiles(settings.profiles, directory, findings);
  const cardKeys = findCardKeys(settings, directory, findings);
  if (personas.length === 0)
    findings.warn(["personas"], "no personas are configured, so there is nobody to run a task");
  if (findings.problems.length > 0) throw new ConfigError(inOrder(findings.problems));
  const config = toConfig(settings, directory, { profiles, cardKeys });
  return { config, personas, warnings: inOrder(findings.warnings) };
}

/** What a persona runs on that names no provider. Its key is read at first use. */
function addBuiltInProvider(settings: Settings): void {
  if (!Object.hasOwn(settings.providers, "anthropic")) settings.providers.anthropic = { type: "anthropic" };
}

async function buildPersonas(settings: Settings, directory: string, findings: Findings): Promise<Persona[]> {
  const built: Persona[] = [];
  const skillFiles = new SkillFiles(directory);
  for (const [index, persona] of settings.personas.entries()) {
    const context = { path: ["personas", index], directory, skillFiles, providers: settings.providers, findings };
    const result = await buildPersona(persona, context);
    if (result !== undefined) built.push(result);
  }
  return built;
}

/** @param read from the files that the settings name */
function toConfig(
  settings: Settings,
  directory: string,
  { profiles, cardKeys: keys }: { profiles: Profile[]; cardKeys: CardKeyFile | undefined },
): Config {
  const { mode, personas: _built, ...rest } = { ...settings, profiles, cards: { ...settings.cards, keys } };
  const atHome = isLoopback(rest.server.host) && rest.server.publicBaseUrl === undefined;
  return resolvePaths({ ...rest, mode: mode ?? (atHome ? "development" : "production") }, directory);
}
