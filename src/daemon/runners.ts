import type { Config } from "../config/config.js";
import type { Persona } from "../personas/persona.js";
import type { PersonaRegistry } from "../personas/registry.js";
import type { ProcessSlots } from "../runtimes/command/process-slots.js";
import type { ModelRunner } from "../runtimes/model-loop/model-runner.js";
import { ScriptedRunner } from "../runtimes/scripted/scripted-runner.js";
import type { Clock } from "../shared/clock.js";
import type { TaskRunner } from "../tasks/runner.js";
import type { Task } from "../tasks/task.js";

export interface RunnerParts {
  personas: PersonaRegistry;
  providers: Config["providers"];
  ledger: ConstructorParameters<typeof ModelRunner>[0]["ledger"];
  clock: Clock;
  env: NodeJS.ProcessEnv;
  /** For child processes of all configurations together. */
  processes: ProcessSlots;
  maxTokensPerRoot: number;
  /** Of the allowances of planned tasks. */
  countInvocation(task: Task): Promise<void>;
}

/** One runner for each kind of persona. */
export function runners(parts: RunnerParts): (persona: Persona | undefined) => TaskRunner {
  const { personas, providers, ledger, clock, env, processes, maxTokensPerRoot, countInvocation } = parts;
  const byType: Record<Persona["runtime"]["type"], TaskRunner> = {
    model: atFirstRun(async () => {
      const { ModelRunner } = await import("../runtimes/model-loop/model-runner.js");
      return new ModelRunner({
        ...{ personas, providers, ledger, maxTokensPerRoot, countInvocation },
        env: (name) => env[name],
        fetch: globalThis.fetch,
      });
    }),
    command: atFirstRun(async () => {
      const { CommandRunner } = await import("../runtimes/command/command-runner.js");
      return new CommandRunner({ personas, providers, ledger, slots: processes, env, countInvocation });
    }),
    // Loaded in any case: its rules tell at submission whether the answer is a bare message.
    scripted: new ScriptedRunner(({ tenant, persona }) => {
      const runtime = personas.get(tenant, persona)?.runtime;
      return runtime?.type === "scripted" ? runtime.rules : [];
    }, clock),
    workflow: atFirstRun(async () => {
      const { WorkflowRunner } = await import("../runtimes/workflow/workflow-runner.js");
      return new WorkflowRunner(({ tenant, persona }) => {
        const runtime = personas.get(tenant, persona)?.runtime;
        return runtime?.type === "workflow" ? runtime.nodes : [];
      }, clock);
    }),
  };
  return (persona) => {
    if (persona === undefined) throw new Error("a task was claimed for a persona that is not loaded");
    return byType[persona.runtime.type];
  };
}

/** A start does not wait for the code of runs that may never come. */
export function atFirstRun(load: () => Promise<TaskRunner>): TaskRunner {
  let loading: Promise<TaskRunner> | undefined;
  return {
    async run(attempt) {
      loading ??= load().catch((error) => {
        // The next run tries again: what was in the way may be gone, such as too many open files.
        loading = undefined;
        throw error;
      });
      return (await loading).run(attempt);
    },
  };
}
