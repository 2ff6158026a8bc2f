import { allows } from "../personas/capabilities.js";
import type { Persona } from "../personas/persona.js";
import type { PersonaRegistry } from "../personas/registry.js";
import { type ErrorCode, NuncioError } from "../shared/errors.js";
import type { JsonValue } from "../shared/json.js";
import { APPROVE } from "../tasks/approval-ledger.js";
import type { Attempt, ToolBoxFactory } from "../tasks/attempt.js";
import type { CallOptions, ToolBox, ToolDescriptor, ToolOutcome } from "../tasks/runner.js";
import { type ApprovalDesk, askApproval, passGate, questionId } from "./approval-gate.js";
import { problemsOf } from "./arguments.js";
import { CallJournal, shown } from "./call-journal.js";
import type { ToolCatalog, ToolOffer } from "./catalog.js";
import { errorResult, type HostOutcome, type HostResult, type HostTool } from "./host-tool.js";

/** What a run can act on itself. Anything else thrown is trouble of ours and ends the attempt. */
const FOR_THE_RUN: ReadonlySet<ErrorCode> = new Set([
  "invalid_argument",
  "not_found",
  "failed_precondition",
  "limit_reached",
  "permission_denied",
  "unsupported",
]);

/** Gives each attempt the tools of its persona. */
export function toolBoxFactory(catalog: ToolCatalog, personas: PersonaRegistry, desk: ApprovalDesk): ToolBoxFactory {
  return (attempt) => {
    const { tenant, persona: name } = attempt.task;
    const persona = personas.get(tenant, name);
    if (persona === undefined) throw new NuncioError("not_found", `no persona ${JSON.stringify(name)} is loaded`);
    return new AttemptToolBox(attempt, persona, catalog, desk);
  };
}

class AttemptToolBox implements ToolBox {
  readonly #attempt: Attempt;
  readonly #persona: Persona;
  readonly #catalog: ToolCatalog;
  readonly #desk: ApprovalDesk;
  // Made at the first use: most attempts call nothing.
  #offer: ToolOffer | undefined;
  #journal: CallJournal | undefined;

  constructor(attempt: Attempt, persona: Persona, catalog: ToolCatalog, desk: ApprovalDesk) {
    this.#attempt = attempt;
    this.#persona = persona;
    this.#catalog = catalog;
    this.#desk = desk;
  }

  get descriptors(): readonly ToolDescriptor[] {
    return this.#tools().descriptors;
  }

  async call(name: string, args: unknown, callId: string, options: CallOptions = {}): Promise<ToolOutcome> {
    this.#journal ??= new CallJournal(this.#attempt);
    const journal = this.#journal;
    const before = journal.toolOf(callId);
    if (before !== undefined && before !== name) return shown(callChanged(before, name));
    const finished = journal.finished(callId);
    if (finished !== undefined) return finished;

    const outcome = await this.#run(journal, name, args, callId, options.last === true);
    // Noted, not recorded: a call that is repeated after a crash comes to the same result, or its start is durable.
    return outcome.type === "result" ? journal.noteResult(callId, name, outcome) : outcome;
  }

  async approve(text: string, callId: string): Promise<ToolOutcome> {
    this.#journal ??= new CallJournal(this.#attempt);
    const id = questionId(callId, text);
    const finished = this.#journal.finished(id);
    if (finished !== undefined) return finished;

    const outcome = await askApproval(this.#attempt, this.#desk, { text, callId });
    return outcome.type === "result" ? this.#journal.noteResult(id, APPROVE, outcome) : outcome;
  }

  async #run(journal: CallJournal, name: string, args: unknown, callId: string, last: boolean): Promise<HostOutcome> {
    const tool = this.#tools().byName.get(name);
    if (tool === undefined) return this.#absent(name);
    const parsed = tool.args.safeParse(args);
    if (!parsed.success) {
      const { message, field } = problemsOf(parsed.error);
      return errorResult(message, { field });
    }
    const started = journal.started(callId);
    if (started !== undefined && !tool.idempotent) return outcomeUnknown(tool);
    const [attempt, persona] = [this.#attempt, this.#persona];
    try {
      // The operator is not asked for what would be refused anyway.
      if (started === undefined) await tool.check?.(parsed.data, { attempt, persona });
      const capability = tool.capability?.(parsed.data);
      const required = capability !== undefined && allows(persona.capabilities.requireApproval, capability);
      // A "no" stays one, though a configuration that was loaded meanwhile would not have asked.
      if (required || journal.asked(callId)) {
        const question = { callId, tool: name, arguments: parsed.data as JsonValue };
        const stopped = await passGate(attempt, this.#desk, question, required);
        if (stopped?.type === "approval") journal.noteAsked(callId, name);
        if (stopped !== null) return stopped;
      }
      if (!tool.idempotent) await journal.recordStart(callId, name);
      return await tool.run(parsed.data, {
        attempt,
        persona,
        callId,
        last,
        started: journal.started(callId),
        start: () => journal.noteStart(callId, name),
      });
    } catch (error) {
      if (!NuncioError.is(error) || !FOR_THE_RUN.has(error.code)) throw error;
      return errorResult(error.hint === undefined ? error.message : `${error.message}; ${error.hint}`, factsOf(error));
    }
  }

  #tools(): ToolOffer {
    this.#offer ??= this.#catalog.offerFor(this.#persona);
    return this.#offer;
  }

  #absent(name: string): HostResult {
    const tool = this.#catalog.named(name);
    if (tool !== undefined) {
      return errorResult(`refused: ${name} needs ${tool.needs}, which ${this.#persona.name} does not have`, {
        reason: "TOOL_REFUSED",
      });
    }
    const names = [...this.#tools().byName.keys()];
    return errorResult(
      `there is no tool ${JSON.stringify(name.slice(0, 100))}; ${names.length === 0 ? "there are none" : `there are: ${names.join(", ")}`}`,
      { reason: "TOOL_UNKNOWN" },
    );
  }
}

const outcomeUnknown = (tool: HostTool) =>
  errorResult(`outcome unknown: the call of ${tool.name} was interrupted, and it may have taken effect or not`, {
    reason: "OUTCOME_UNKNOWN",
  });

/** The configuration has changed under the run. What was done is not the result of something else. */
const callChanged = (before: string, name: string) =>
  errorResult(`this was a call of ${before} when it was begun, and is one of ${name} now; it was not made`, {
    reason: "CALL_CHANGED",
  });

function factsOf(error: NuncioError): { [key: string]: JsonValue } {
  return {
    ...(error.field === undefined ? {} : { field: error.field }),
    ...(error.reason === undefined ? {} : { reason: error.reason }),
  };
}
