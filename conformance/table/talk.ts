import type { Target } from "../targets/target.js";
import type { CallOptions, Stream, Wire } from "../wires/wire.js";
import type { Ask, Operation, Task } from "../words.js";
import { Call } from "./call.js";

type With = Partial<CallOptions> & { wire?: Wire };

/** How often work is begun that has ended before anybody could follow it. */
const TRIES = 20;

/** A caller who speaks to an agent over one wire: what each case is handed. */
export class Talk {
  readonly wire: Wire;
  readonly target: Target;
  readonly options: CallOptions;

  constructor(wire: Wire, target: Target, options: CallOptions) {
    this.wire = wire;
    this.target = target;
    this.options = options;
  }

  /** The same with another agent, caller, wire or headers. */
  with({ wire = this.wire, ...options }: With): Talk {
    return new Talk(wire, this.target, { ...this.options, ...options });
  }

  /** As somebody else. */
  async asStranger(): Promise<Talk> {
    return this.with({ token: await (this.target.stranger as NonNullable<Target["stranger"]>)() });
  }

  /** As somebody whom nobody has been before. */
  async asNewCaller(scopes?: string[]): Promise<Talk> {
    return this.with({ token: await (this.target.newCaller as NonNullable<Target["newCaller"]>)(scopes) });
  }

  /** To the agent that offers as little as it may. */
  get plain(): Talk {
    return this.with({ agent: this.target.plain as NonNullable<Target["plain"]> });
  }

  /** Over every other wire that has the operation. */
  others(operation: Operation): Talk[] {
    const { wires } = this.target;
    return wires.filter((wire) => wire !== this.wire && wire.has(operation)).map((wire) => this.with({ wire }));
  }

  call<Op extends Operation>(operation: Op, ask: Ask): Call<Op> {
    return new Call(operation, this.wire.call(operation, ask, this.options));
  }

  send = (ask: Ask): Call<"send"> => this.call("send", ask);
  stream = (ask: Ask): Call<"stream"> => this.call("stream", ask);
  get = (ask: Ask): Call<"get"> => this.call("get", ask);
  list = (ask: Ask = {}): Call<"list"> => this.call("list", ask);
  cancel = (ask: Ask): Call<"cancel"> => this.call("cancel", ask);
  subscribe = (ask: Ask): Call<"subscribe"> => this.call("subscribe", ask);
  createPush = (ask: Ask): Call<"createPush"> => this.call("createPush", ask);
  getPush = (ask: Ask): Call<"getPush"> => this.call("getPush", ask);
  listPush = (ask: Ask): Call<"listPush"> => this.call("listPush", ask);
  deletePush = (ask: Ask): Call<"deletePush"> => this.call("deletePush", ask);
  extendedCard = (ask: Ask = {}): Call<"extendedCard"> => this.call("extendedCard", ask);

  /** Sends, and waits until the task is settled. */
  run(text: string, ask: Ask = {}): Promise<Task> {
    return this.send({ text, blocking: true, ...ask }).task();
  }

  /** Sends, and does not wait. */
  start(text: string, ask: Ask = {}): Promise<Task> {
    return this.send({ text, blocking: false, ...ask }).task();
  }

  /**
   * Starts work that ends by itself, and subscribes to it: once, or as all of these. On a machine with much else to do
   * its end may come first: then with new work.
   */
  async follow(text: string, talks: readonly Talk[] = [this]): Promise<{ id: string; streams: Stream[] }> {
    for (let tries = 1; ; tries++) {
      const { id } = await this.start(text);
      const calls = talks.map((one) => one.subscribe({ id }));
      const replies = await Promise.all(calls.map((call) => call.reply()));
      const { state } = await this.get({ id }).task();
      if (state !== "completed" || tries === TRIES)
        return { id, streams: await Promise.all(calls.map((call) => call.ok())) };
      for (const reply of replies) if (reply.type === "result") reply.value.close();
    }
  }

  /** The task once its state is one of these; the time limit of the case ends the wait. */
  async until(id: string, ...states: Task["state"][]): Promise<Task> {
    for (;;) {
      const task = await this.get({ id }).task();
      if (states.includes(task.state)) return task;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}
