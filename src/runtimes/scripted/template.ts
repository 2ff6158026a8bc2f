import { NuncioError } from "../../shared/errors.js";
import type { JsonValue } from "../../shared/json.js";
import { fillIn, fillInJson } from "../../shared/template.js";
import { isOurs } from "../outside-words.js";
import { textOfResult, valueAt } from "../result-value.js";
import { type RunNames, unknownName, valueOfRun } from "../run-names.js";

/** What `{{…}}` can name. */
export interface TemplateScope extends RunNames {
  /** Values of earlier steps with `as`. */
  results: ReadonlyMap<string, JsonValue>;
  /** Of those that hold the words of strangers: what a persona may be shown in their place. */
  outside?: ReadonlyMap<string, string>;
}

/** Fills in a template. An unknown name is an `invalid_argument`, which fails the run. */
export const expand = (template: string, scope: TemplateScope): string =>
  fillIn(template, (name) => lookUp(name, scope));

/** Fills in the strings of a JSON value. */
export const expandJson = (value: unknown, scope: TemplateScope): JsonValue =>
  fillInJson(value, (name) => lookUp(name, scope));

/** Fills in what a persona is going to read. */
export const expandForPersona = (template: string, scope: TemplateScope): string =>
  fillIn(template, (name) => shownToPersona(name, scope) ?? lookUp(name, scope));

export const expandJsonForPersona = (value: unknown, scope: TemplateScope): JsonValue =>
  fillInJson(value, (name) => shownToPersona(name, scope) ?? lookUp(name, scope));

function shownToPersona(name: string, { outside }: TemplateScope): string | undefined {
  const [area, result = "", ...path] = name.split(".");
  return area === "results" && !isOurs(path) ? outside?.get(result) : undefined;
}

function lookUp(name: string, scope: TemplateScope): JsonValue | undefined {
  const ofRun = valueOfRun(name, scope);
  if (ofRun !== null) return ofRun.value;
  const [area, result, field, ...rest] = name.split(".");
  if (area !== "results" || result === undefined || rest.length > 0) throw unknownName(name);
  const value = scope.results.get(result);
  if (value === undefined) {
    throw new NuncioError("invalid_argument", `template {{${name}}}: no step before it has "as: ${result}"`);
  }
  if (field === undefined) return textOfResult(value);
  const content = valueAt(value, [field]);
  if (content === undefined) throw unknownName(name);
  return content;
}
