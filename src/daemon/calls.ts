import type { AgentTokenIssuer } from "../access/agent-tokens/agent-token-issuer.js";
import { ClientCredentialsGrant } from "../access/credentials/client-credentials-grant.js";
import { readCredential } from "../access/credentials/credential-file.js";
import { RemoteCredentials } from "../access/credentials/remote-credentials.js";
import { RateLimit } from "../access/limits/rate-limit.js";
import type { Sealer } from "../access/sealing/sealer.js";
import type { Config } from "../config/config.js";
import type { Outbound } from "../outbound/outbound.js";
import type { Clock } from "../shared/clock.js";
import type { TaskLedger } from "../tasks/ledger.js";
import type { Logger } from "../telemetry/logger.js";
import type { CallHouse } from "../tools/a2a-call/call-house.js";
import { OutstandingCalls } from "../tools/a2a-call/outstanding-calls.js";

export interface CallParts {
  mode: Config["mode"];
  ledger: TaskLedger;
  outbound(): Promise<Outbound>;
  clock: Clock;
  sealer: Sealer;
  agentTokens: Pick<AgentTokenIssuer, "mint">;
  logger: Logger;
}

export interface Calls {
  /** What calls are made with under this configuration; counts, tokens and what is outstanding go on over all of them. */
  under(config: Config): CallHouse;
  /** Agents outside that a task of ours waits for, as far as this process knows. */
  outside(taskId: string): string[];
  close(): void;
}

/** Beyond it the work of others has the slot, also where the agent that is called is one of ours. */
const INLINE_MS = 1_000;

/** Calls of agents outside. */
export function composeCalls({ mode, ledger, outbound, clock, sealer, agentTokens, logger }: CallParts): Calls {
  const development = mode === "development";
  const rate = new RateLimit();
  const outstanding = new OutstandingCalls(ledger);
  const grant = new ClientCredentialsGrant({ outbound, clock, development });
  return {
    under: ({ a2a }) => ({
      ...{ outbound, development, rate, outstanding, clock, limits: a2a, inlineMs: INLINE_MS },
      credentials: new RemoteCredentials(a2a.credentials, {
        ...{ grant, development },
        read: (file) => readCredential(file, { sealer }),
        mint: (agent, audience, lifetimeMs) => agentTokens.mint(agent, audience, lifetimeMs),
      }),
      onTrouble: (err, { doing, ...facts }) => logger.error({ err, ...facts }, `${doing} failed`),
    }),
    outside: (taskId) => outstanding.agentsOf(taskId),
    close: () => outstanding.close(),
  };
}
