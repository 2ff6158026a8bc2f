import type { Config } from "../config/config.js";
import type { PersonaRegistry } from "../personas/registry.js";
import type { PlanStore } from "../plans/plan-store.js";
import type { PlannedTasks, PlannedTasksParts } from "../plans/planned-tasks.js";
import type { ProcessSlots } from "../runtimes/command/process-slots.js";
import type { Clock } from "../shared/clock.js";
import type { QueueRoom } from "../store/ledger/queue-room.js";
import type { Database } from "../store/sql-ledger.js";
import type { Task } from "../tasks/task.js";
import { boundsOf } from "./worker-settings.js";

export interface PlansParts {
  /** As of now. */
  config(): Config;
  database: Database;
  /** Of the ledger on the same database. */
  room: QueueRoom;
  clock: Clock;
  personas: PersonaRegistry;
  processes: ProcessSlots;
  env: NodeJS.ProcessEnv;
  peerOf: PlannedTasksParts["peerOf"];
  /** Of credentials, pins and grants, as of now: no snapshot holds them. */
  secretFiles(): readonly string[];
}

/** Loaded when somebody has planned something: a start does not wait for it. */
export interface Plans {
  store(): Promise<PlanStore>;
  desk(): Promise<PlannedTasks>;
  /** Of the allowances of planned tasks; a task that somebody sent costs nothing here. */
  countInvocation(task: Task): Promise<void>;
}

export function composePlans(parts: PlansParts): Plans {
  let opening: ReturnType<typeof open> | undefined;
  const opened = () => {
    opening ??= open(parts).catch((error) => {
      // The next one tries again: what was in the way may be gone, such as too many open files.
      opening = undefined;
      throw error;
    });
    return opening;
  };
  return {
    store: async () => (await opened()).store,
    desk: async () => (await opened()).desk,
    async countInvocation(task) {
      if (task.parentId === null && task.trigger !== "plan") return;
      await (await opened()).countInvocation(task);
    },
  };
}

async function open(parts: PlansParts) {
  const { config, database, room, clock, personas, processes, env, peerOf } = parts;
  const [{ sqlPlanStore }, { PlannedTasks }, { countInvocations }, { parsePlan }, { runCheck }, { fence, newNonce }] =
    await Promise.all([
      import("../store/plans/plan-store.js"),
      import("../plans/planned-tasks.js"),
      import("../plans/count-invocations.js"),
      import("../config/parse-plan.js"),
      import("../runtimes/command/run-check.js"),
      import("../tools/fence.js"),
    ]);
  const store = sqlPlanStore(database, room);
  const desk = new PlannedTasks({
    ...{ store, clock, parsePlan, peerOf, newNonce },
    profiles: () => config().profiles,
    hosts: (tenant, persona) => personas.get(tenant, persona) !== undefined,
    async runCheck(check, workspace, signal) {
      const release = await processes.take(signal);
      try {
        return await runCheck(check, workspace, env, signal);
      } finally {
        release();
      }
    },
    get excluded() {
      const { dataDir, access, cards } = config();
      const keys = [access.sealingKeyFile, cards.signingKeyFile].filter((file) => file !== undefined && file !== null);
      return [dataDir, ...keys, ...parts.secretFiles()];
    },
    fence: (text, label) => fence(text, label, newNonce()),
    newTasks: () => ({ maxAttempts: config().a2a.maxAttempts, bounds: boundsOf(config().queue) }),
  });
  return { store, desk, countInvocation: countInvocations(store, clock) };
}
