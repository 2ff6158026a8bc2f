import { invalidArgument } from "../../../shared/errors.js";
import type { Params } from "../../protocol/read-request.js";
import type { OperationName } from "../operations/operation.js";

type Type = "text" | "number" | "flag";

/** What each operation without a body takes from the query (A2A 1.0, 11.5); what it does not know it passes over (5.7). */
const PARAMETERS: Partial<Record<OperationName, Readonly<Record<string, Type>>>> = {
  get: { tenant: "text", historyLength: "number" },
  list: {
    tenant: "text",
    contextId: "text",
    status: "text",
    pageSize: "number",
    pageToken: "text",
    historyLength: "number",
    statusTimestampAfter: "text",
    includeArtifacts: "flag",
  },
  subscribe: { tenant: "text" },
  getPush: { tenant: "text" },
  listPush: { tenant: "text", pageSize: "number", pageToken: "text" },
  deletePush: { tenant: "text" },
  extendedCard: { tenant: "text" },
};

/** The parameters with the types that they have in JSON; what they may be is for the operation to check. */
export function readQuery(operation: OperationName, query: URLSearchParams): Params {
  const params: Params = {};
  for (const [name, type] of Object.entries(PARAMETERS[operation] ?? {})) {
    const [given, another] = query.getAll(name);
    if (given === undefined) continue;
    if (another !== undefined) throw invalidArgument(name, "must be given once");
    params[name] = typed(name, type, given);
  }
  return params;
}

function typed(name: string, type: Type, given: string): unknown {
  switch (type) {
    case "text":
      return given;
    case "number":
      // Longer ones are beyond every bound, and beyond what a number can say exactly.
      if (/^-?\d{1,15}$/.test(given)) return Number(given);
      throw invalidArgument(name, "must be a whole number");
    case "flag":
      if (given === "true" || given === "false") return given === "true";
      throw invalidArgument(name, "must be true or false");
  }
}
