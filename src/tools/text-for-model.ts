import type { JsonValue } from "../shared/json.js";
import { fence } from "./fence.js";
import type { HostResult } from "./host-tool.js";

/** A result as one text: our own fields as JSON, then each field that is somebody else's words in a fence of its own. */
export function textForModel(value: JsonValue, said: HostResult["said"], nonce: string): string {
  if (typeof value === "string") return value;
  if (said === undefined || value === null || typeof value !== "object" || Array.isArray(value)) {
    return JSON.stringify(value);
  }
  const ours: { [field: string]: JsonValue } = {};
  const fenced: string[] = [];
  for (const [field, content] of Object.entries(value)) {
    if (!said.fields.includes(field)) ours[field] = content;
    else
      fenced.push(
        fence(typeof content === "string" ? content : JSON.stringify(content), `${field}, said by ${said.by}`, nonce),
      );
  }
  return [...(Object.keys(ours).length > 0 ? [JSON.stringify(ours)] : []), ...fenced].join("\n");
}
