import type { Endpoint } from "../../../outbound/check.js";
import type { OutboundLimits } from "../../../outbound/limits.js";
import type { Outbound } from "../../../outbound/outbound.js";

/** How the way to one place is gone: by which rules, and with what to show there. */
export interface Reach {
  outbound: Pick<Outbound, "fetch">;
  endpoint: Endpoint;
  /** The credential, for this place alone. */
  credentials: Readonly<Record<string, string>>;
}

export interface Asked {
  method: "GET" | "POST";
  url: string;
  headers: Record<string, string>;
  body?: string;
  limits: Partial<OutboundLimits>;
  signal?: AbortSignal | undefined;
}

export const ask = ({ outbound, endpoint, credentials }: Reach, { url, headers, ...asked }: Asked): Promise<Response> =>
  outbound.fetch(url, { ...asked, endpoint, headers: { ...headers, ...credentials } });
