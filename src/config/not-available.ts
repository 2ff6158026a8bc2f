import type { ConfigPath } from "./config-error.js";
import type { Findings } from "./findings.js";
import type { Settings } from "./schema/root.js";

const HERE = "not available in this version";

/**
 * Everything that the schema knows and this version does not do, in one place. What a task or a safeguard would depend
 * on is refused; what is only without effect is a warning.
 */
export function findNotAvailable(settings: Settings, findings: Findings): void {
  for (const [path, what] of withoutEffectYet) {
    if (findings.source.has(path) && !(path[0] === "console" && settings.console === false)) {
      findings.warn(path, withoutEffect(what));
    }
  }
}

const withoutEffectYet: readonly [path: ConfigPath, what: string][] = [[["console"], "the console"]];

const withoutEffect = (what: string): string => `has no effect: ${what} ${/s$/.test(what) ? "are" : "is"} ${HERE}`;
