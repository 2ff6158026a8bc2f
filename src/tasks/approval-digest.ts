import { hash } from "node:crypto";
import { canonicalJson } from "../shared/canonical-json.js";
import type { JsonValue } from "../shared/json.js";

/**
 * Stands for exactly one question: SHA-256 of the canonical JSON (RFC 8785) of the tool and its parsed arguments.
 *
 * @returns lower-case hex
 * @throws Error for arguments that the canonical form cannot say: unpaired surrogates
 */
export const approvalDigest = (tool: string, args: JsonValue): string =>
  hash("sha256", canonicalJson({ arguments: args, tool }), "hex");
