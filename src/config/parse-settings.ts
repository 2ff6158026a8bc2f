import { ConfigError } from "./config-error.js";
import { explainIssues, valueAt } from "./explain.js";
import { inOrder } from "./findings.js";
import { root, type Settings } from "./schema/root.js";
import { YamlSource } from "./yaml-source.js";

/** Text to settings, by the schema alone. Throws a ConfigError with everything that is wrong, in the order of the file. */
export function parseSettings(
  text: string,
  file: string,
  env: NodeJS.ProcessEnv,
): { settings: Settings; source: YamlSource } {
  const source = new YamlSource(text, file, env);
  if (source.problems.length > 0) throw new ConfigError(inOrder(source.problems));
  const data = source.data === undefined || source.data === null ? {} : source.data;
  dropEmptySections(data);
  let parsed = root.safeParse(data);
  if (!parsed.success && convertVariables(parsed.error.issues, data, source)) parsed = root.safeParse(data);
  if (!parsed.success) throw new ConfigError(inOrder(explainIssues(parsed.error.issues, source)));
  return { settings: parsed.data, source };
}

/** `a2a:` with nothing under it, since all of it is commented out, is the same as no `a2a:`. */
function dropEmptySections(data: unknown): void {
  if (typeof data !== "object" || data === null || Array.isArray(data)) return;
  const sections = data as Record<string, unknown>;
  for (const key of Object.keys(sections)) if (sections[key] === null) delete sections[key];
}

/** The environment knows only text: `port: ${PORT}` becomes a number because a number is asked for there. */
function convertVariables(
  issues: readonly { code?: string; path: readonly PropertyKey[]; expected?: unknown }[],
  data: unknown,
  source: YamlSource,
): boolean {
  let converted = false;
  for (const issue of issues) {
    const path = issue.path as (string | number)[];
    if (issue.code !== "invalid_type" || !source.isWholeVariable(path)) continue;
    const value = convert(String(valueAt(data, path)), issue.expected);
    if (value === undefined) continue;
    (valueAt(data, path.slice(0, -1)) as Record<string | number, unknown>)[path.at(-1) as string | number] = value;
    converted = true;
  }
  return converted;
}

function convert(text: string, expected: unknown): number | boolean | undefined {
  if (expected === "number" && /^-?\d{1,15}$/.test(text)) return Number(text);
  if (expected === "boolean" && (text === "true" || text === "false")) return text === "true";
  return undefined;
}
