import { resolve } from "node:path";
import type { Persona, PersonaRuntime } from "../personas/persona.js";
import { readPromptFile } from "../personas/prompt-file.js";
import type { Skill } from "../personas/skill.js";
import type { ConfigPath } from "./config-error.js";
import { listed } from "./fields.js";
import type { Findings } from "./findings.js";
import type { PersonaSettings } from "./schema/persona.js";
import type { Provider } from "./schema/providers.js";
import type { SkillFiles } from "./skill-files.js";

export interface PersonaContext {
  path: ConfigPath;
  directory: string;
  skillFiles: SkillFiles;
  providers: Readonly<Record<string, Provider>>;
  findings: Findings;
}

/** A persona from its settings, with its prompt file read; undefined when something about it was refused. */
export async function buildPersona(settings: PersonaSettings, context: PersonaContext): Promise<Persona | undefined> {
  const prompt = await readPrompt(settings, context);
  const runtime = chooseRuntime(settings, prompt?.text ?? "", context);
  if (prompt === undefined || runtime === undefined) return undefined;
  const { name, tenant, visibility, maxConcurrent, capabilities } = settings;
  const { streaming, push, extendedCard, followUps, policy } = settings;
  const description = settings.description ?? prompt.description;
  const skills = await skillsOf(settings, context);
  return {
    ...{ name, tenant, description, visibility, maxConcurrent, skills, capabilities },
    ...{ streaming, push, extendedCard, followUps, policy, runtime },
  };
}

function skillsOf({ skills }: PersonaSettings, { path, skillFiles, findings }: PersonaContext): Promise<Skill[]> {
  return Promise.all(skills.map((name, index) => skillFiles.get(name, [...path, "skills", index], findings)));
}

async function readPrompt(settings: PersonaSettings, { path, directory, findings }: PersonaContext) {
  if (settings.systemPromptFile === undefined) return { text: "", description: "" };
  const file = resolve(directory, settings.systemPromptFile);
  const prompt = await readPromptFile(file);
  if (!("problem" in prompt)) return prompt;
  const message = `${JSON.stringify(settings.systemPromptFile)} ${prompt.problem}; use a text file of at most 256 KiB (looked for ${file})`;
  findings.refuse([...path, "systemPromptFile"], message);
  return undefined;
}

function chooseRuntime(
  settings: PersonaSettings,
  systemPrompt: string,
  context: PersonaContext,
): PersonaRuntime | undefined {
  const { path, findings } = context;
  if (settings.script !== undefined && settings.runtime !== "scripted") {
    findings.refuse([...path, "script"], "a script needs runtime: scripted; add that, or remove the script");
    return undefined;
  }
  if (settings.nodes !== undefined && settings.runtime !== "workflow") {
    findings.refuse([...path, "nodes"], "nodes need runtime: workflow; add that, or remove the nodes");
    return undefined;
  }
  if (settings.runtime === "scripted") return { type: "scripted", rules: settings.script ?? [] };
  if (settings.runtime === "workflow") {
    if (settings.nodes !== undefined) return { type: "workflow", nodes: settings.nodes };
    findings.refuse([...path, "runtime"], "workflow needs nodes; add a list of them, or use another runtime");
    return undefined;
  }
  return providerRuntime(settings, systemPrompt, context);
}

/** A provider of type command implies the runtime command: such a provider cannot run anything else. */
function providerRuntime(
  settings: PersonaSettings,
  systemPrompt: string,
  context: PersonaContext,
): PersonaRuntime | undefined {
  const { path, findings, providers } = context;
  const name = settings.provider ?? "anthropic";
  const provider = Object.hasOwn(providers, name) ? providers[name] : undefined;
  if (provider === undefined) {
    const known = listed(Object.keys(providers));
    findings.refuse([...path, "provider"], `"${name}" is not configured; use ${known}, or add it under providers`);
    return undefined;
  }
  if (provider.type === "command") {
    if (settings.runtime === "model") {
      findings.refuse(
        [...path, "runtime"],
        `model does not go with "${name}", a provider of type command; remove this line`,
      );
      return undefined;
    }
    return { type: "command", provider: name, systemPrompt };
  }
  if (settings.runtime === "command") {
    const commands = Object.keys(providers).filter((candidate) => providers[candidate]?.type === "command");
    const right =
      commands.length > 0 ? `use provider: ${listed(commands)}` : "add one under providers and name it here";
    findings.refuse([...path, "runtime"], `command needs a provider of type command; ${right}`);
    return undefined;
  }
  if (settings.model === undefined) {
    const message = `"${settings.name}" names no model; add one such as model: claude-sonnet-4-6, or runtime: scripted`;
    findings.refuse(path, message);
    return undefined;
  }
  const { model, maxSteps, timeoutMs } = settings;
  return { type: "model", provider: name, model, systemPrompt, maxSteps, timeoutMs };
}
