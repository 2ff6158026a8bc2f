/**
 * `${NAME}` in values.
 *
 * In a flow map (`{ type: anthropic, apiKey: ${KEY} }`) YAML would take the braces for its own. So they are exchanged for
 * two private-use characters before parsing, one for one: lines and columns stay what they are. The values themselves
 * never pass through the YAML parser, so nothing in them can become structure.
 */
const OPEN = "\uE000";
const CLOSE = "\uE001";

/** `${NAME}`, and the shell's `${NAME:-default}`, which is found in order to be refused. */
const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(:?[-=?+][^{}\r\n]*)?\}/g;
const MASKED = /\$\uE000([A-Za-z_][A-Za-z0-9_]*)(:?[-=?+][^\uE000\uE001\r\n]*)?\uE001/g;

export const mask = (text: string): string => text.replace(REFERENCE, `$$${OPEN}$1$2${CLOSE}`);

export const unmask = (text: string): string => text.replace(MASKED, "$${$1$2}");

export interface Substituted {
  value: string;
  /** The value as it was written, when it has variables: what may be shown of it. */
  written: string | undefined;
  /** The value is one variable and nothing else. */
  whole: boolean;
  problem: string | undefined;
}

/** Puts the variables in. A default in the manner of a shell is refused, since it would become part of the value. */
export function substitute(masked: string, env: NodeJS.ProcessEnv): Substituted {
  let problem: string | undefined;
  let found = 0;
  const value = masked.replace(MASKED, (whole, name: string, shellDefault: string | undefined) => {
    found++;
    if (shellDefault !== undefined) {
      problem ??= `${unmask(whole)} is not supported; use \${${name}} and set ${name} in the environment`;
    } else if (env[name] === undefined) {
      problem ??= `\${${name}} is not set; set ${name} in the environment, or write the value here`;
    }
    return env[name] ?? "";
  });
  const written = found === 0 ? undefined : unmask(masked);
  return { value, written, whole: found === 1 && /^\$\uE000[^\uE000\uE001]*\uE001$/.test(masked), problem };
}
