import type { ToolResult } from "../tasks/runner.js";

/** Tools whose results hold the words of strangers. */
const OUTSIDE: ReadonlySet<string> = new Set(["a2a_call", "net_http"]);

/**
 * What a stranger says may be passed on to a persona as data, and never as if the operator had written it: in a message to one
 * stands the result as a model is shown it, labeled, fenced and cut. Undefined for every other tool.
 */
export const outsideWords = (tool: string, { text }: Pick<ToolResult, "text">): string | undefined =>
  OUTSIDE.has(tool) ? text : undefined;

/** Of such a result this alone is ours. */
export const isOurs = (path: readonly string[]): boolean => path.length === 1 && path[0] === "status";

/** The tool whose message is read by a persona. */
export const PERSONA_SEND = "persona_send";
