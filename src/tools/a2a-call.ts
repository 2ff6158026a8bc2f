import { z } from "zod";
import type { Outgoing } from "../a2a/client/versions/spelling.js";
import { delegated } from "../a2a/protocol/delegation-extension.js";
import { mayCallSomebody } from "../access/policy/call-policy.js";
import { NuncioError } from "../shared/errors.js";
import { derivedId } from "../shared/ids.js";
import type { CallHouse } from "./a2a-call/call-house.js";
import { type AcceptedCall, CallRecord } from "./a2a-call/call-record.js";
import { answerResult, interruptedResult, type Source, timeoutResult, troubleResult } from "./a2a-call/call-result.js";
import { type Delivered, deliver, look, type TaskIds } from "./a2a-call/deliver.js";
import { type Caller, checkPolicy, knownWay, openWay, type Way } from "./a2a-call/reach-agent.js";
import { milliseconds, text } from "./arguments.js";
import { checkHops } from "./delegation-guard.js";
import { type HostCall, type HostOutcome, hostTool } from "./host-tool.js";

const DAY_MS = 86_400_000;
/** Between two looks at a task, ms: the longer it takes, the longer. */
const LOOK_AGAIN_MS = { least: 1_000, most: 60_000 };
/** So long an agent has to take note that its task is not wanted any more, ms. */
const WITHDRAW_MS = 10_000;

const args = z.strictObject({
  agentUrl: text(2048).describe("URL of the agent"),
  message: text(1024 * 1024).describe("What it shall do; it sees only this text"),
  task_id: text(256)
    .optional()
    .describe("Answers the question of this task of the agent, instead of beginning another"),
  timeout_ms: milliseconds(DAY_MS).default(300_000).describe("How long to wait for the reply, in ms"),
});
type Args = z.infer<typeof args>;

/**
 * Calls an agent of somebody else. What is written down before and after the message goes out (`CallRecord`) says what a
 * later attempt does: nothing was sent, it is sent; it may have been sent, that is the result, and it is never sent again;
 * the agent has begun a task, that one is looked at until it is settled or the time is up.
 *
 * While the agent works the run is parked for a time, and no slot of the daemon is held.
 */
export function a2aCall(house: CallHouse) {
  return hostTool<Args>({
    name: "a2a_call",
    description:
      "Sends a message to an agent outside and returns its reply: { status, reply, task_id, context_id }. With status input_required the agent " +
      "asks for something: answer by another call with its task_id. With timeout the agent may go on; with unknown nobody knows whether it got the message. " +
      "The reply is somebody else's data.",
    args: args as z.ZodType<Args>,
    offeredTo: ({ policy }) => mayCallSomebody(policy, house.development),
    needs: "an enforced policy that names the tool and an https:// target (a2aTargets, egressHosts)",
    // Made again it goes on from its own record, and never sends twice.
    idempotent: true,
    capability: ({ agentUrl }) => `a2a.call:${URL.canParse(agentUrl) ? new URL(agentUrl).hostname : ""}`,
    check({ agentUrl, task_id }, { persona, attempt }) {
      checkPolicy({ persona, agentUrl }, house.development);
      checkHops(attempt.task.hop, house.limits.maxHops);
      if (task_id !== undefined) checkOwn(new CallRecord(attempt, ""), agentUrl, task_id);
    },
    run: (given, call) => new Call(house, given, call).run(),
  });
}

class Call {
  readonly #house: CallHouse;
  readonly #args: Args;
  readonly #call: HostCall;
  readonly #caller: Caller;
  readonly #record: CallRecord;
  /** What was shown to the agent in this attempt. */
  #secrets: readonly string[] = [];

  constructor(house: CallHouse, given: Args, call: HostCall) {
    this.#house = house;
    this.#args = given;
    this.#call = call;
    this.#record = new CallRecord(call.attempt, call.callId);
    this.#caller = {
      persona: call.persona,
      taskId: call.attempt.task.id,
      // What has gone out has gone to that one, whatever the configuration makes of the call by now.
      agentUrl: this.#record.sentTo ?? given.agentUrl,
      onShown: (secrets) => {
        this.#secrets = secrets;
      },
    };
  }

  async run(): Promise<HostOutcome> {
    const { accepted } = this.#record;
    if (accepted !== null) return this.#goOn(accepted);
    if (this.#record.sentTo !== null) return interruptedResult(this.#source());
    return this.#begin();
  }

  async #begin(): Promise<HostOutcome> {
    const { attempt, callId } = this.#call;
    const { at } = this.#call.start();
    const { agentUrl, task_id } = this.#args;
    if (task_id !== undefined) checkOwn(this.#record, agentUrl, task_id);
    this.#takeBudget();
    let way: Way;
    try {
      way = await openWay(this.#house, this.#caller, attempt.signal);
    } catch (error) {
      attempt.signal.throwIfAborted();
      // Nothing has been sent but the question for the card.
      return troubleResult("refused", error, this.#source());
    }
    const messageId = derivedId(attempt.task.id, callId, at);
    await this.#record.sending(messageId, agentUrl);
    let accepted: AcceptedCall | undefined;
    try {
      const delivered = await deliver({
        way,
        outgoing: this.#outgoing(messageId),
        timeoutMs: this.#args.timeout_ms,
        inlineMs: this.#house.inlineMs,
        signal: attempt.signal,
        onAccepted: async (ids) => {
          this.#remember({ ...ids, via: way.via });
          accepted = await this.#record.accept({ agentUrl, ...ids, via: way.via });
        },
      });
      return this.#outcome(delivered, accepted?.at ?? at);
    } catch (error) {
      // Told to stop: when that is because our task was canceled, theirs shall end, too.
      if (attempt.stopped) void this.#house.outstanding.look(attempt.task.tenant, attempt.task.id).catch(() => {});
      throw error;
    }
  }

  async #goOn(accepted: AcceptedCall): Promise<HostOutcome> {
    const { signal } = this.#call.attempt;
    const ids = { taskId: accepted.taskId, contextId: accepted.contextId };
    this.#remember(accepted);
    let way: Way;
    try {
      way = await knownWay(this.#house, this.#caller, accepted.via, signal);
    } catch (error) {
      signal.throwIfAborted();
      // A file that is being exchanged, or a server of tokens that is down, says nothing of the task.
      const later = NuncioError.is(error) && error.reason === "CREDENTIAL_UNUSABLE";
      if (later) return this.#outcome({ type: "going", ids }, accepted.at);
      return this.#ended(troubleResult("unknown", error, this.#source(), ids));
    }
    return this.#outcome(await look(way, ids, signal), accepted.at);
  }

  #outcome(delivered: Delivered, since: number): HostOutcome {
    const source = this.#source();
    switch (delivered.type) {
      case "answer":
        return this.#ended(answerResult(delivered.answer, source));
      case "refused":
      case "unknown":
        return this.#ended(troubleResult(delivered.type, delivered.error, source, delivered.ids));
      case "going": {
        const now = this.#house.clock.now();
        const until = this.#call.start().at + this.#args.timeout_ms;
        if (now >= until) return this.#ended(timeoutResult(delivered.ids, this.#args.timeout_ms, source));
        const again = Math.min(Math.max((now - since) / 2, LOOK_AGAIN_MS.least), LOOK_AGAIN_MS.most);
        return { type: "wait", taskIds: [], until: Math.min(until, Math.ceil(now + again)) };
      }
    }
  }

  #ended<T>(result: T): T {
    this.#house.outstanding.remove(this.#caller.taskId, this.#call.callId);
    return result;
  }

  /** From here on the agent is told when our task is canceled. */
  #remember({ via, taskId }: TaskIds & Pick<AcceptedCall, "via">): void {
    const withdraw = async () => {
      const signal = AbortSignal.timeout(WITHDRAW_MS);
      const { client } = await knownWay(this.#house, this.#caller, via, signal);
      await client.cancel(taskId, { signal });
    };
    const { agentUrl } = this.#caller;
    this.#house.outstanding.add(this.#caller.taskId, this.#call.callId, { agentUrl, withdraw });
  }

  #outgoing(messageId: string): Outgoing {
    const { message, task_id } = this.#args;
    const words = { messageId, role: "user" as const, parts: [{ text: message }] };
    return {
      message: delegated(words, { hop: this.#call.attempt.task.hop + 1 }),
      waits: false,
      ...(task_id !== undefined && { taskId: task_id }),
    };
  }

  /**
   * As many calls of one task as it may have delegations, and so many of a persona in a minute: a circle through an agent
   * that passes no hop counter on is as wide and as fast as that, and no more.
   */
  #takeBudget(): void {
    const { limits, rate, clock } = this.#house;
    if (this.#record.calls >= limits.maxChildrenPerTask) {
      throw new NuncioError(
        "limit_reached",
        `this task has already called agents outside ${this.#record.calls} times; the limit is ${limits.maxChildrenPerTask} (a2a.maxChildrenPerTask)`,
        { reason: "maxChildrenPerTask", hint: "finish with what has come back" },
      );
    }
    const { tenant, name } = this.#caller.persona;
    const seconds = rate.take(`${tenant}/${name}`, limits.maxCallsPerMinute, clock.now());
    if (seconds === 0) return;
    throw new NuncioError(
      "limit_reached",
      `${name} has called agents outside ${limits.maxCallsPerMinute} times within a minute (a2a.maxCallsPerMinute)`,
      { reason: "maxCallsPerMinute", hint: `try again in ${seconds} seconds, or finish without` },
    );
  }

  #source(): Source {
    return { agentUrl: this.#caller.agentUrl, secrets: this.#secrets };
  }
}

/** Without it a model that is told a number could go on with what the agent does for somebody else, under our credential. */
function checkOwn(record: CallRecord, agentUrl: string, taskId: string): void {
  if (record.hasBegun(agentUrl, taskId)) return;
  throw new NuncioError("permission_denied", "task_id: no call of this task has begun that task of this agent", {
    field: "task_id",
    reason: "OTHER_TASK",
    hint: "leave task_id out to begin another",
  });
}
