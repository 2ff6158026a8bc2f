import type { Config } from "../config/config.js";
import type { Outbound } from "../outbound/outbound.js";
import { PersonaRegistry } from "../personas/registry.js";
import type { ProcessSlots } from "../runtimes/command/process-slots.js";
import type { Clock } from "../shared/clock.js";
import type { QueueBounds, TaskLedger } from "../tasks/ledger.js";
import type { WorkerSettings } from "../tasks/worker.js";
import type { Logger } from "../telemetry/logger.js";
import { hostTools, ToolCatalog } from "../tools/catalog.js";
import { toolBoxFactory } from "../tools/tool-box.js";
import { openChannels } from "./channels.js";
import { runners } from "./runners.js";

/** What stays the same over all configurations of one process. */
export interface Workshop {
  ledger: TaskLedger;
  /** As of now: a delegation reaches only a persona that is there at that moment. */
  personas: PersonaRegistry;
  processes: ProcessSlots;
  clock: Clock;
  env: NodeJS.ProcessEnv;
  outbound(): Promise<Outbound>;
  logger: Logger;
}

/**
 * What attempts are run with, made of one configuration and closed over it: an attempt that has begun ends with the
 * persona, the prompt, the provider and the limits that it began with, whatever is loaded meanwhile.
 */
export function workerSettings(config: Config, workshop: Workshop): WorkerSettings {
  const { a2a, approvals, queue, providers } = config;
  const { ledger, personas, processes, clock, env, outbound, logger } = workshop;
  const loaded = new PersonaRegistry(personas.all());
  const catalog = new ToolCatalog(
    hostTools({
      ...{ ledger, personas, clock, outbound },
      limits: { ...a2a, bounds: boundsOf(queue) },
      channels: openChannels(config.channels, outbound, logger),
    }),
  );
  const runnerFor = runners({
    ...{ personas: loaded, providers, ledger, clock, env, processes },
    maxTokensPerRoot: a2a.maxTokensPerRoot,
  });
  const { concurrency, leaseMs, backoffBaseMs, backoffMaxMs } = queue;
  return {
    personas: loaded.all(),
    runnerFor: ({ tenant, name }) => runnerFor(loaded.get(tenant, name)),
    tools: toolBoxFactory(catalog, loaded, { ledger, clock, ...approvals }),
    ...{ concurrency, leaseMs, backoffBaseMs, backoffMaxMs },
  };
}

export const boundsOf = ({ maxPendingPerPersona, maxPendingPerTenant }: Config["queue"]): QueueBounds => ({
  perPersona: maxPendingPerPersona,
  perTenant: maxPendingPerTenant,
});
