import { jsonSchema, type ModelMessage, streamText, type ToolSet, tool } from "ai";
import { NuncioError } from "../../shared/errors.js";
import type { ToolDescriptor } from "../../tasks/runner.js";
import { Answer } from "./answer.js";
import { endedEarly, providerFailure } from "./failure.js";
import type { ModelTurn } from "./model-turn.js";
import type { ConnectedModel } from "./providers.js";

// The SDK would print them to the console of whoever started the daemon.
globalThis.AI_SDK_LOG_WARNINGS = false;

export interface ModelCall {
  connected: ConnectedModel;
  system: string;
  messages: readonly ModelMessage[];
  tools: readonly ToolDescriptor[];
  /** Number of the answer within the task, from 1. */
  number: number;
  signal: AbortSignal;
  onText(delta: string): void;
}

/**
 * Calls the model once. The tools have no way to be executed in here, so what comes back is the model's own answer and
 * nothing that was done about it.
 *
 * Throws the reason of `signal` when that aborts, else a `NuncioError` that knows whether to try again. A stream that
 * ends without the event that completes it is such an error, and never an answer.
 */
export async function callModel(call: ModelCall): Promise<ModelTurn> {
  const { provider, model, secrets } = call.connected;
  // Closes the connection also when reading stops early.
  const stop = new AbortController();
  try {
    const { fullStream } = streamText({
      model,
      ...(call.system === "" ? {} : { system: call.system }),
      messages: [...call.messages],
      ...(call.tools.length === 0 ? {} : { tools: toolSet(call.tools) }),
      maxRetries: 0,
      abortSignal: AbortSignal.any([call.signal, stop.signal]),
      onError: () => {}, // else the SDK prints it; the stream has it, too
    });
    const answer = new Answer(call.number);
    for await (const part of fullStream) {
      answer.take(part);
      if (part.type === "text-delta") call.onText(part.text);
      if (part.type === "error") throw part.error;
      if (part.type === "finish-step") {
        if (part.finishReason === "other" && part.rawFinishReason === undefined) break;
        const { inputTokens = 0, outputTokens = 0 } = part.usage;
        return { content: answer.content, finish: part.finishReason, inputTokens, outputTokens };
      }
    }
    throw endedEarly(provider);
  } catch (error) {
    call.signal.throwIfAborted();
    throw NuncioError.is(error) ? error : providerFailure(provider, error, secrets);
  } finally {
    stop.abort();
  }
}

const toolSet = (descriptors: readonly ToolDescriptor[]): ToolSet =>
  Object.fromEntries(
    descriptors.map(({ name, description, inputSchema }) => [
      name,
      tool({ description, inputSchema: jsonSchema(inputSchema) }),
    ]),
  );
