import { z } from "zod";
import { UpdateFold } from "../../../../a2a/client/fold-updates.js";
import type { Outcome } from "../../../../a2a/client/outcome.js";
import type { RemoteAnswer, RemoteUpdate } from "../../../../a2a/client/remote-task.js";
import { untilSettled } from "../../../../a2a/client/until-settled.js";
import { messageOf, NuncioError } from "../../../../shared/errors.js";
import { newId } from "../../../../shared/ids.js";
import type { Message } from "../../../../tasks/message.js";
import { answerJson, updateJson } from "../../agent-json.js";
import { type FoundAgent, findAgent } from "../../find-agent.js";
import { streamOperation } from "../../operation.js";
import { addressee, hasOneAddressee, NEEDS_ONE_ADDRESSEE, sendLine } from "../../schema/a2a.js";
import { id, messageId, messageText } from "../../schema/fields.js";

const request = z
  .strictObject({
    ...addressee,
    text: messageText,
    contextId: id.optional(),
    /** Continues this task of the agent. */
    taskId: id.optional(),
    messageId: messageId.optional(),
    /** Whether the answer is awaited; otherwise the lines end when the agent has taken the message. */
    wait: z.boolean().default(false),
  })
  .refine(hasOneAddressee, NEEDS_ONE_ADDRESSEE);

/** Sends a message as any A2A client would. The last line says what has come of it; a client that leaves ends nothing. */
export const sendToAgent = streamOperation({
  method: "POST",
  path: "/v1/a2a/messages",
  request,
  line: sendLine,
  async open(asked, deps, signal) {
    try {
      const agent = await findAgent(deps, asked, signal);
      return lines(await updatesOf(agent, asked, signal), signal);
    } catch (error) {
      throw signal.aborted ? abandoned(error) : error;
    }
  },
});

/** The client has left, or the daemon stops: nothing is wrong with the agent, or with us. */
const abandoned = (cause: unknown): NuncioError =>
  new NuncioError("unavailable", "nobody waits for the answer any more", { reason: "SHUTTING_DOWN", cause });

type Asked = z.output<typeof request>;

/** Resolves when the agent has taken the message. */
async function updatesOf(agent: FoundAgent, asked: Asked, signal: AbortSignal): Promise<AsyncIterable<RemoteUpdate>> {
  const { text, contextId, taskId, wait } = asked;
  const message: Message = { messageId: asked.messageId ?? newId(), role: "user", parts: [{ text }] };
  const { client } = agent;
  if (wait && agent.streaming) {
    const updates = taken(agent, message, await client.stream({ message, contextId, taskId, waits: true }, { signal }));
    return untilSettled(client, { updates }, signal);
  }
  const sent = await client.send({ message, contextId, taskId, waits: wait }, { signal });
  const answer = taken(agent, message, sent);
  return wait && answer.type === "task" ? untilSettled(client, { task: answer.task }, signal) : only(answer);
}

async function* only(answer: RemoteAnswer): AsyncGenerator<RemoteUpdate, void> {
  yield answer;
}

async function* lines(updates: AsyncIterable<RemoteUpdate>, signal: AbortSignal) {
  const fold = new UpdateFold();
  try {
    for await (const update of updates) {
      fold.apply(update);
      yield updateJson(update);
    }
  } catch (error) {
    if (signal.aborted) return;
    throw error;
  }
  const { answer } = fold;
  if (answer !== null) yield { type: "answer" as const, answer: answerJson(answer) };
}

/** What it was taken with, or why it was not. What is not known is said, and never tried again. */
function taken<T>({ own }: FoundAgent, { messageId }: Message, outcome: Outcome<T>): T {
  if (outcome.outcome === "accepted") return outcome.value;
  const { error } = outcome;
  if (own || outcome.outcome === "refused" || !NuncioError.is(error)) throw error;
  throw new NuncioError(error.code, `${messageOf(error)}; whether the agent has taken the message is not known`, {
    reason: "OUTCOME_UNKNOWN",
    hint: `ask the agent before you send it again; with --message-id ${messageId} an agent that knows the id does it once`,
    retryable: false,
    cause: error,
  });
}
