import type { FetchJson } from "../access/oidc/fetch-json.js";
import type { Outbound } from "../outbound/outbound.js";
import { NuncioError } from "../shared/errors.js";
import type { JsonValue } from "../shared/json.js";

/** Callers wait meanwhile. */
const LIMITS = { connectMs: 3000, headersMs: 5000, idleMs: 3000, totalMs: 8000, maxBytes: 262_144 };

/** Documents of those whom the operator has configured. The way out is loaded when it is first needed. */
export const fetchJsonOver =
  (outbound: () => Promise<Outbound>): FetchJson =>
  async (url) => {
    const headers = { accept: "application/json" };
    const response = await (await outbound()).fetch(url, { endpoint: "operator", limits: LIMITS, headers });
    if (response.status === 200) return (await response.json()) as JsonValue;
    await response.body?.cancel();
    throw new NuncioError("unavailable", `${new URL(url).host} answered with the status ${response.status}`);
  };
