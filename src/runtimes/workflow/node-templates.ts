import type { JsonValue } from "../../shared/json.js";
import type { LookUp } from "../../shared/template.js";
import { textOfResult, valueAt } from "../result-value.js";
import { type RunNames, unknownName, valueOfRun } from "../run-names.js";

/**
 * What the templates of a workflow can name: the message that the task began with, and what nodes before have come to.
 * `{{nodes.ID.output}}` is what was said; fields below it are those of the tool's result.
 */
export const namesOf =
  (run: RunNames, outputs: ReadonlyMap<string, JsonValue>): LookUp =>
  (name) => {
    const ofRun = valueOfRun(name, run);
    if (ofRun !== null) return ofRun.value;
    const [area, id = "", output, ...fields] = name.split(".");
    const value = outputs.get(id);
    if (area !== "nodes" || output !== "output" || value === undefined) throw unknownName(name);
    if (fields.length === 0) return textOfResult(value);
    const found = valueAt(value, fields);
    if (found === undefined) throw unknownName(name);
    return found;
  };
