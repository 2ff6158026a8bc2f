import type { CommandProvider, Provider } from "../../personas/provider.js";
import type { PersonaRegistry } from "../../personas/registry.js";
import { NuncioError } from "../../shared/errors.js";
import { newId } from "../../shared/ids.js";
import type { TenantLedger } from "../../tasks/ledger.js";
import type { Run, RunOutcome, TaskRunner } from "../../tasks/runner.js";
import type { Task } from "../../tasks/task.js";
import { referencedTasks } from "../referenced-tasks.js";
import { ResultArtifact } from "../result-artifact.js";
import { withTimeLimit } from "../time-limit.js";
import { childEnvironment } from "./child-environment.js";
import { commandInput, commandPrompt } from "./command-prompt.js";
import { exitFailure, outputLimit, startFailure } from "./failure.js";
import type { ProcessSlots } from "./process-slots.js";
import { runChild } from "./run-child.js";

const MAX_OUTPUT_BYTES = 1024 * 1024;
const GRACE_MS = 3_000;

export interface CommandRunnerParts {
  personas: Pick<PersonaRegistry, "get">;
  providers: Readonly<Record<string, Provider>>;
  ledger: { forTenant(tenant: string): Pick<TenantLedger, "snapshot"> };
  /** For programs that run at a time, over all personas. */
  slots: ProcessSlots;
  /** The environment of the daemon, of which programs get a few variables. */
  env: NodeJS.ProcessEnv;
  /** Called before each start of a program: resolves when it is noted for good, and rejects when it may not be made. */
  countInvocation(task: Task): Promise<void>;
  /** How long a program gets to end by itself before it is killed, ms. */
  graceMs?: number;
}

/**
 * A persona that is a program: it reads a prompt and prints the answer, which becomes the artifact `result` as it comes.
 * There is no journal: an attempt that follows a crash runs the program again from the start, and what an earlier one
 * had printed is taken back.
 */
export class CommandRunner implements TaskRunner {
  readonly #parts: CommandRunnerParts;

  constructor(parts: CommandRunnerParts) {
    this.#parts = parts;
  }

  async run(run: Run): Promise<RunOutcome> {
    const { provider, systemPrompt } = this.#setUp(run);
    const release = await this.#parts.slots.take(run.signal);
    try {
      const referenced =
        run.task.parentId === null ? await referencedTasks(run.task, run.message, this.#parts.ledger) : "";
      const prompt = commandPrompt(systemPrompt, run.message, referenced);
      await this.#parts.countInvocation(run.task);
      return await withTimeLimit(run.signal, provider.timeoutMs, `"${provider.command}"`, (signal) =>
        this.#execute(run, provider, prompt, signal),
      );
    } finally {
      release();
    }
  }

  #setUp(run: Run): { provider: CommandProvider; systemPrompt: string } {
    const { personas, providers } = this.#parts;
    const { tenant, persona } = run.task;
    const runtime = personas.get(tenant, persona)?.runtime;
    if (runtime?.type === "command" && Object.hasOwn(providers, runtime.provider)) {
      const provider = providers[runtime.provider];
      if (provider?.type === "command") return { provider, systemPrompt: runtime.systemPrompt };
    }
    throw new NuncioError("failed_precondition", `persona "${persona}" is not run by a configured command here`);
  }

  async #execute(run: Run, provider: CommandProvider, prompt: string, signal: AbortSignal): Promise<RunOutcome> {
    const result = new ResultArtifact((progress) => run.emit(progress), run.task.artifacts, "");
    const tooMuch = new AbortController();
    const marker = newId();
    const maxBytes = provider.maxOutputBytes ?? MAX_OUTPUT_BYTES;
    let printed = 0;
    try {
      const end = await runChild({
        command: provider.command,
        ...commandInput(provider, prompt),
        env: childEnvironment(this.#parts.env, provider.env ?? {}, marker),
        cwd: provider.cwd,
        marker,
        graceMs: this.#parts.graceMs ?? GRACE_MS,
        signal: AbortSignal.any([signal, tooMuch.signal]),
        onOutput: (text, bytes) => {
          printed += bytes;
          if (printed > maxBytes) tooMuch.abort(outputLimit(provider.command, maxBytes));
          else result.write(text);
        },
      });
      if (end.code !== 0) return exitFailure(provider, end);
      result.end();
      return { type: "completed" };
    } catch (error) {
      throw NuncioError.is(error) || signal.aborted ? error : startFailure(provider, error);
    }
  }
}
