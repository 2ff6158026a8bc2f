import type { Clock } from "../shared/clock.js";
import { leaseLost, messageOf, NuncioError } from "../shared/errors.js";
import { agentSays } from "./agent-says.js";
import type { Attempt, NewChild, ToolBoxFactory } from "./attempt.js";
import { foldArtifact } from "./fold.js";
import type { JournalStep, NewStep } from "./journal.js";
import {
  type AttemptRecord,
  type Claim,
  type ClaimOffer,
  type Foreseen,
  type Lease,
  OUTCOME_UNKNOWN,
  type Settle,
  type Settled,
  type Settlement,
  type Submit,
  type Submitted,
  type TaskLedger,
} from "./ledger.js";
import type { Artifact, Message } from "./message.js";
import { RecordBuffer } from "./record-buffer.js";
import type { NewWork, Progress, RunJournal, ToolBox } from "./runner.js";
import type { TaskSnapshot } from "./task.js";

/** Text is recorded when it has waited this long, or when this much has gathered. */
const COALESCE_MS = 100;
const COALESCE_CHARS = 2048;
/** While the ledger cannot be written, what is to be recorded is kept and tried again at this pace. */
const RETRY_WRITE_MS = 500;

export interface AttemptDeps {
  ledger: TaskLedger;
  clock: Clock;
  tools: ToolBoxFactory;
  /** A slot for a child, when this attempt ends in the transaction that submits it or when one is free anyway. */
  offerForChild(
    persona: string,
    parks: boolean,
  ): { offer: ClaimOffer; onSubmitted(submitted: Submitted | null): void } | null;
  foresee(work: NewWork): Foreseen | undefined;
  /** Told when it is not known what became of a record: the attempt is given up, and the next one goes on from what is there. */
  onUncertain(error: NuncioError): void;
}

/**
 * One execution of a task under one lease. Everything that the run says goes through one buffer and is written in
 * order, one record at a time, so that facts and journal steps become durable together or not at all.
 */
export class AttemptRun implements Attempt {
  readonly task: TaskSnapshot;
  readonly lease: Lease;
  readonly message: Message;
  readonly turn: number;
  readonly journal: RunJournal;
  readonly #deps: AttemptDeps;
  /** Made when somebody asks for the signal: most runs are over before. */
  #abort: AbortController | undefined;
  #aborted: { reason: unknown } | undefined;
  readonly #buffer: RecordBuffer;
  readonly #artifacts: Artifact[];
  #tools: ToolBox | undefined;
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #immediate: NodeJS.Immediate | undefined;
  #ended = false;

  constructor(claim: Claim, deps: AttemptDeps) {
    this.#deps = deps;
    this.task = claim.snapshot;
    this.lease = claim.lease;
    this.turn = claim.snapshot.turn;
    this.message = workOf(claim.snapshot);
    this.#artifacts = claim.snapshot.artifacts.length === 0 ? [] : structuredClone(claim.snapshot.artifacts);
    this.#buffer = new RecordBuffer(claim.lease, claim.journal, this.turn, deps.clock);
    this.journal = {
      steps: this.#buffer.steps,
      find: (kind, key) => this.#buffer.find(kind, key),
      note: (step) => this.#buffer.note(step),
      noteUnlessOver: (step) => this.#buffer.noteUnlessOver(step),
      record: (step) => this.#record(step),
    };
    // A run that is over before the next turn of the event loop is written as one record, its start included.
    this.#immediate = setImmediate(() => void this.#write());
  }

  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#aborted !== undefined) this.#abort.abort(this.#aborted.reason);
    return this.#abort.signal;
  }

  get stopped(): boolean {
    return this.#aborted !== undefined;
  }

  /** Why the attempt may do nothing more, when that is so. */
  get aborted(): { reason: unknown } | undefined {
    return this.#aborted;
  }

  get tools(): ToolBox {
    this.#tools ??= this.#deps.tools(this);
    return this.#tools;
  }

  emit(progress: Progress): void {
    if (this.#ended) return;
    if (progress.type === "status") {
      this.#buffer.add({ type: "status", state: "processing", message: progress.message });
      this.#immediate ??= setImmediate(() => void this.#write());
      return;
    }
    foldArtifact(this.#artifacts, progress.artifact, progress.append);
    this.#buffer.add(progress);
    if (this.#buffer.characters >= COALESCE_CHARS) this.#immediate ??= setImmediate(() => void this.#write());
    else this.#timer ??= setTimeout(() => void this.#write(), COALESCE_MS);
  }

  countTokens(input: number, output: number): void {
    this.#buffer.countTokens(input, output);
  }

  takeRecord(over = false): AttemptRecord {
    this.#stopTimers();
    return this.#buffer.take(over);
  }

  async delegate(child: NewChild): Promise<Submitted> {
    await this.#quiet();
    this.#signalIfEnded();
    const submitting = this.#submit(child);
    // Nothing else is written meanwhile: a refused child gives its record back to the buffer, in its old place.
    this.#writing = submitting.then(
      () => {},
      () => {},
    );
    try {
      return await submitting;
    } finally {
      this.#writing = undefined;
    }
  }

  async #submit({ guards, park, awaited, ...child }: NewChild): Promise<Submitted> {
    const from = this.takeRecord();
    const reservation = this.#deps.offerForChild(child.persona, park !== undefined);
    try {
      const delegation = { from, rootId: this.task.rootId, hop: this.task.hop + 1, ...guards };
      const submit: Submit = {
        ...child,
        trigger: "delegation",
        // The parent is still running in this context: a lane would make the child wait for it.
        lane: null,
        now: from.now,
        delegation: park === undefined ? delegation : { ...delegation, park },
      };
      if (reservation !== null) {
        submit.offer = reservation.offer;
        const foreseen = awaited ? this.#deps.foresee({ ...child, tenant: this.lease.tenant }) : undefined;
        if (foreseen !== undefined) submit.foreseen = foreseen;
      }
      const tenant = this.#deps.ledger.forTenant(this.lease.tenant);
      const submitted = await this.#untilAvailable(() => tenant.submit(submit));
      if (submitted.parked === true) this.#end();
      reservation?.onSubmitted(submitted);
      return submitted;
    } catch (error) {
      this.#buffer.putBack(from);
      reservation?.onSubmitted(null);
      if (NuncioError.is(error, "lease_lost")) this.abort(error);
      throw error;
    }
  }

  /** Writes the outcome with everything that is still buffered. Null when the attempt no longer owns its task. */
  async settle(outcome: Settlement, offer: ClaimOffer | undefined): Promise<Settled | null> {
    if (this.#writing !== undefined) await this.#quiet();
    if (this.#ended) return null;
    this.#end();
    const over = outcome.type === "completed" || outcome.type === "rejected";
    const settle: Settle = { ...this.takeRecord(over), outcome, artifacts: this.#artifacts };
    if (offer !== undefined) settle.offer = offer;
    try {
      return await this.#untilAvailable(() => this.#deps.ledger.system.settle(settle));
    } catch (error) {
      if (NuncioError.is(error, "lease_lost")) return null;
      // What the run made cannot be stored. The task must not stay behind without an owner: it fails, and says why.
      const message = agentSays(`the outcome could not be recorded: ${messageOf(error)}`);
      const failed: Settlement = { type: "failed", message, retryable: true, retryAt: settle.now };
      return await this.#deps.ledger.system.settle({ ...settle, facts: [], steps: [], artifacts: [], outcome: failed });
    }
  }

  /** The attempt may do nothing more: it was canceled, lost its lease, or is handed back. */
  abort(reason: unknown): void {
    if (this.#aborted !== undefined) return;
    this.#aborted = { reason };
    this.#abort?.abort(reason);
  }

  get ended(): boolean {
    return this.#ended;
  }

  async #record(step: NewStep): Promise<JournalStep> {
    const noted = this.#buffer.note(step);
    while (this.#buffer.hasWork && !this.#ended && this.#aborted === undefined) await this.#write();
    this.#signalIfEnded();
    return noted;
  }

  /** One write at a time: what comes while it is under way goes with the next. */
  #write(): Promise<void> {
    this.#stopTimers();
    this.#writing ??= this.#drain().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async #drain(): Promise<void> {
    while (!this.#ended && this.#aborted === undefined && this.#buffer.hasWork) {
      const record = this.takeRecord();
      try {
        await this.#untilAvailable(() => this.#deps.ledger.system.append(record));
      } catch (error) {
        this.#buffer.putBack(record);
        this.abort(error);
      }
    }
  }

  async #quiet(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  /** Keeps a write while the disk is full or the database is gone: running work is not lost for it. */
  async #untilAvailable<T>(write: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await write();
      } catch (error) {
        if (!NuncioError.is(error, "unavailable") || !error.retryable) throw error;
        // It may be durable or not. Writing it again could double it; the next attempt continues from what is there.
        if (error.reason === OUTCOME_UNKNOWN) {
          this.#deps.onUncertain(error);
          throw leaseLost(this.lease.taskId);
        }
        await new Promise((resolve) => setTimeout(resolve, RETRY_WRITE_MS));
      }
    }
  }

  #signalIfEnded(): void {
    if (this.#aborted !== undefined) throw this.#aborted.reason;
    if (this.#ended) throw new Error("the attempt has ended");
  }

  #end(): void {
    this.#ended = true;
    this.#stopTimers();
  }

  #stopTimers(): void {
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    if (this.#immediate !== undefined) clearImmediate(this.#immediate);
    this.#timer = undefined;
    this.#immediate = undefined;
  }
}

/** The message of the caller that this turn works on: the last one that was not passed on to a descendant. */
function workOf(task: TaskSnapshot): Message {
  const message = task.work;
  if (message === null) throw new Error(`task ${task.id} has no message`);
  return message;
}
