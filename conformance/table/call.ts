import { deviates, shown } from "../deviation.js";
import { fieldsOf } from "../wires/errors.js";
import type { Reply, Results, WireError } from "../wires/wire.js";
import type { Message, Operation, Task } from "../words.js";

/** A call that is under way, and what its case makes of the answer. */
export class Call<Op extends Operation> {
  readonly #operation: Op;
  readonly #reply: Promise<Reply<Op>>;

  constructor(operation: Op, reply: Promise<Reply<Op>>) {
    this.#operation = operation;
    this.#reply = reply;
    // Whoever lets go of a call that fails has said so by that.
    reply.catch(() => {});
  }

  reply(): Promise<Reply<Op>> {
    return this.#reply;
  }

  /** The result; an error is a deviation. */
  async ok(): Promise<Results[Op]> {
    const reply = await this.#reply;
    if (reply.type === "result") return reply.value;
    const { names, message, details } = reply.error;
    return deviates(this.#operation, `is refused: ${names.join(" or ")}: ${message} ${shown(details)}`);
  }

  /** The task that a send or a task operation answers with. */
  async task(this: Call<"send"> | Call<"get"> | Call<"cancel">): Promise<Task> {
    const value = await this.ok();
    if ("state" in value) return value;
    return value.type === "task" ? value.task : deviates("send", "is answered with a message, not with a task");
  }

  async message(this: Call<"send">): Promise<Message> {
    const value = await this.ok();
    return value.type === "message" ? value.message : deviates("send", "is answered with a task, not with a message");
  }

  /** The error, which must be this one. @param field that a detail must name, where the binding has details */
  async refused(name: string, { field }: { field?: string } = {}): Promise<WireError> {
    const reply = await this.#reply;
    if (reply.type === "result") {
      return deviates(this.#operation, `must be refused with ${name}, is answered with ${shown(reply.value)}`);
    }
    const { error } = reply;
    if (!error.names.includes(name)) {
      deviates(this.#operation, `must be refused with ${name}, is with ${error.names.join(" or ")}: ${error.message}`);
    }
    if (field !== undefined && !fieldsOf(error).includes(field)) {
      deviates(this.#operation, `must name the field ${field}, names ${shown(error.details)}`);
    }
    return error;
  }
}
