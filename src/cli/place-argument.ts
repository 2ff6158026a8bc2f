import { mask, substitute } from "../config/variables.js";
import { invalidArgument } from "../shared/errors.js";

/**
 * The text of `--from` or `--to`, with variables such as `${DATABASE_URL}` put in; undefined when a configuration names the
 * place instead. Exactly one of the two must be given.
 */
export function placeArgument(
  name: "from" | "to",
  text: string | undefined,
  config: string | undefined,
  env: NodeJS.ProcessEnv,
): string | undefined {
  const option = `--${name}`;
  if ((text === undefined) === (config === undefined)) {
    const what = text === undefined ? `${option} is missing` : `${option} and ${option}-config name two places`;
    throw invalidArgument(option, what, { hint: `use ${option} LEDGER or ${option}-config FILE` });
  }
  if (text === undefined) return undefined;
  const { value, problem } = substitute(mask(text), env);
  if (problem !== undefined) throw invalidArgument(option, `${option}: ${problem}`);
  return value;
}
