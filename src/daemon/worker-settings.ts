import type { Config } from "../config/config.js";
import type { Outbound } from "../outbound/outbound.js";
import type { PinnedPeer } from "../peers/peer-registry.js";
import { PersonaRegistry } from "../personas/registry.js";
import { peerOf, peerPersona } from "../plans/assignment.js";
import type { ProcessSlots } from "../runtimes/command/process-slots.js";
import type { Clock } from "../shared/clock.js";
import type { QueueBounds, TaskLedger } from "../tasks/ledger.js";
import type { TaskRunner } from "../tasks/runner.js";
import type { PersonaSlots } from "../tasks/slots.js";
import type { Task } from "../tasks/task.js";
import type { WorkerSettings } from "../tasks/worker.js";
import type { Logger } from "../telemetry/logger.js";
import { hostTools, ToolCatalog } from "../tools/catalog.js";
import { toolBoxFactory } from "../tools/tool-box.js";
import type { Calls } from "./calls.js";
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
  calls: Calls;
  /** Of the allowances of planned tasks. */
  countInvocation(task: Task): Promise<void>;
  /** Of now: work that was prepared for one of them is theirs alone. */
  peers(): readonly PinnedPeer[];
  peerRunner: TaskRunner;
  logger: Logger;
}

/**
 * What attempts are run with, made of one configuration and closed over it: an attempt that has begun ends with the
 * persona, the prompt, the provider and the limits that it began with, whatever is loaded meanwhile.
 */
export function workerSettings(config: Config, workshop: Workshop): WorkerSettings {
  const { a2a, approvals, queue, providers } = config;
  const { ledger, personas, processes, clock, env, outbound, calls, countInvocation, logger } = workshop;
  const { peers, peerRunner } = workshop;
  const loaded = new PersonaRegistry(personas.all());
  const catalog = new ToolCatalog(
    hostTools({
      ...{ ledger, personas, clock, outbound },
      limits: { ...a2a, bounds: boundsOf(queue) },
      channels: openChannels(config.channels, outbound, logger),
      calls: calls.under(config),
    }),
  );
  const runnerFor = runners({
    ...{ personas: loaded, providers, ledger, clock, env, processes, countInvocation },
    maxTokensPerRoot: a2a.maxTokensPerRoot,
  });
  const { concurrency, leaseMs, backoffBaseMs, backoffMaxMs } = queue;
  return {
    personas: [...loaded.all(), ...slotsOfPeers(peers(), loaded)],
    runnerFor: ({ tenant, name }) => (peerOf(name) === null ? runnerFor(loaded.get(tenant, name)) : peerRunner),
    tools: toolBoxFactory(catalog, loaded, { ledger, clock, ...approvals }),
    ...{ concurrency, leaseMs, backoffBaseMs, backoffMaxMs },
  };
}

/** Under a name that no persona has, in every tenant for which something can be planned here. */
function slotsOfPeers(peers: readonly PinnedPeer[], personas: PersonaRegistry): PersonaSlots[] {
  const tenants = new Set(["default", ...personas.all().map(({ tenant }) => tenant)]);
  return peers.flatMap(({ pin }) =>
    [...tenants].map((tenant) => ({ tenant, name: peerPersona(pin.peer), maxConcurrent: pin.slots })),
  );
}

export const boundsOf = ({ maxPendingPerPersona, maxPendingPerTenant }: Config["queue"]): QueueBounds => ({
  perPersona: maxPendingPerPersona,
  perTenant: maxPendingPerTenant,
});
