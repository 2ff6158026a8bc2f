import type { JsonValue } from "../../shared/json.js";
import type { LookUp } from "../../shared/template.js";
import { isOurs } from "../outside-words.js";
import { textOfResult, valueAt } from "../result-value.js";
import { type RunNames, unknownName, valueOfRun } from "../run-names.js";

/** What a node has come to. */
export interface NodeOutput {
  value: JsonValue;
  /** Where it holds the words of strangers: what a persona may be shown in its place. */
  outside?: string | undefined;
}

/**
 * What the templates of a workflow can name: the message that the task began with, and what nodes before have come to.
 * `{{nodes.ID.output}}` is what was said; fields below it are those of the tool's result.
 *
 * @param forPersona the text is going to be read by a persona
 */
export const namesOf =
  (run: RunNames, outputs: ReadonlyMap<string, NodeOutput>, forPersona: boolean): LookUp =>
  (name) => {
    const ofRun = valueOfRun(name, run);
    if (ofRun !== null) return ofRun.value;
    const [area, id = "", output, ...path] = name.split(".");
    const found = outputs.get(id);
    if (area !== "nodes" || output !== "output" || found === undefined) throw unknownName(name);
    if (forPersona && found.outside !== undefined && !isOurs(path)) return found.outside;
    const value = path.length === 0 ? textOfResult(found.value) : valueAt(found.value, path);
    if (value === undefined) throw unknownName(name);
    return value;
  };
