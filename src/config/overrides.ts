import { name } from "./fields.js";
import type { Findings } from "./findings.js";
import type { Settings } from "./schema/root.js";
import { publicBaseUrl } from "./schema/server.js";

/** The two settings that the environment may replace, e.g. in a container whose file is shared. Empty counts as unset. */
export function applyOverrides(settings: Settings, env: NodeJS.ProcessEnv, findings: Findings): void {
  const url = env.NUNCIO_PUBLIC_BASE_URL;
  if (url) {
    const parsed = publicBaseUrl.safeParse(url);
    if (parsed.success) settings.server.publicBaseUrl = parsed.data;
    else
      findings.refuse(["server", "publicBaseUrl"], `NUNCIO_PUBLIC_BASE_URL ${fault(parsed.error.issues[0]?.message)}`);
  }
  const agent = env.NUNCIO_A2A_DEFAULT_AGENT;
  if (agent) {
    const parsed = name().safeParse(agent);
    if (parsed.success) settings.a2a.defaultAgent = parsed.data;
    else findings.refuse(["a2a", "defaultAgent"], `NUNCIO_A2A_DEFAULT_AGENT ${fault(parsed.error.issues[0]?.message)}`);
  }
}

const fault = (message = "is not valid"): string => (message.startsWith("use ") ? `is not valid; ${message}` : message);
