import type { Answer, Answered, Canceled, Submitted } from "./ledger.js";
import type { Message } from "./message.js";
import type { NewPush } from "./push-ledger.js";
import type { Trigger } from "./task.js";

/** A request for work as an edge hands it in. */
export interface NewTask {
  /** A new one when absent. */
  id?: string;
  tenant: string;
  persona: string;
  principal: string;
  trigger: Trigger;
  /** A new context when absent. */
  contextId?: string;
  message: Message;
  /** From `bodyHash`. */
  bodyHash: string;
  /** The caller waits for the end: a task that needs no time of its own is done in the transaction that submits it. */
  waits?: boolean;
  /** Its caller is shown a Message in place of the task, if it completes with one. */
  answeredByMessage?: boolean;
  /** Hops that the caller's own delegation has behind it. */
  hop?: number;
  /** Who is told of it, from the start. */
  push?: NewPush;
}

/** What the edges do with tasks, beyond reading them from the ledger. */
export interface TaskService {
  /** Durable when it resolves. The same messageId with the same body gives the task that exists; another body is a `conflict`. */
  submit(task: NewTask): Promise<Submitted>;
  /** Continues a task that waits for input or auth. `failed_precondition` when it does not, and when it has ended. */
  answer(answer: {
    tenant: string;
    taskId: string;
    principal: string;
    message: Message;
    bodyHash: string;
    push?: Answer["push"];
  }): Promise<Answered>;
  /** Commits first, then stops the run; resolves when the run has stopped, or after 5 s. */
  cancel(cancel: { tenant: string; taskId: string; reason: string; operator?: boolean }): Promise<Canceled>;
  retryDead(retry: { tenant: string; taskId: string }): Promise<Submitted>;
}
