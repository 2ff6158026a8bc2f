import { randomUUID } from "node:crypto";
import {
  type AnswerTurn,
  argumentsOf,
  type FakeOptions,
  type FakeProvider,
  halves,
  piecesOf,
  type ReceivedRequest,
  type RefusalTurn,
} from "./script.js";
import { type Dialect, startFakeProvider } from "./server.js";

/** A server that speaks OpenAI's chat completions: `POST /v1/chat/completions`, streamed and not. */
export const startFakeOpenAi = (options: FakeOptions): Promise<FakeProvider> => startFakeProvider(openAi, options);

const openAi: Dialect = {
  path: "/v1/chat/completions",
  refusal,
  errorBody: (status, message) => ({
    error: {
      message,
      type: status >= 500 ? "server_error" : "invalid_request_error",
      param: null,
      code: status === 429 ? "rate_limit_exceeded" : null,
    },
  }),
  document: (turn, request) => ({
    ...head(request, "chat.completion"),
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: turn.text === undefined ? null : piecesOf(turn.text).join(""),
          ...(turn.tools === undefined
            ? {}
            : {
                tool_calls: turn.tools.map((tool) => ({
                  id: tool.id ?? newToolId(),
                  type: "function",
                  function: { name: tool.name, arguments: argumentsOf(tool) },
                })),
              }),
        },
        finish_reason: finishReason(turn),
      },
    ],
    usage: usage(turn),
  }),
  events,
};

const newToolId = () => `call_${randomUUID().replaceAll("-", "").slice(0, 24)}`;
const finishReason = (turn: AnswerTurn) =>
  turn.truncated === true ? "length" : turn.tools === undefined ? "stop" : "tool_calls";

function usage(turn: AnswerTurn) {
  const { input, output } = turn.usage ?? { input: 10, output: 5 };
  return { prompt_tokens: input, completion_tokens: output, total_tokens: input + output };
}

const head = (request: ReceivedRequest, object: string) => ({
  id: `chatcmpl-fake-${request.index}`,
  object,
  created: 1_760_000_000,
  model: request.body.model,
});

function events(turn: AnswerTurn, request: ReceivedRequest): string[] {
  const chunk = (delta: object, finish_reason: string | null = null) =>
    data({ ...head(request, "chat.completion.chunk"), choices: [{ index: 0, delta, finish_reason }] });
  const out = [chunk({ role: "assistant", content: "" })];
  for (const content of piecesOf(turn.text)) out.push(chunk({ content }));
  for (const [index, tool] of (turn.tools ?? []).entries()) {
    const id = tool.id ?? newToolId();
    out.push(chunk({ tool_calls: [{ index, id, type: "function", function: { name: tool.name, arguments: "" } }] }));
    for (const piece of halves(argumentsOf(tool))) {
      out.push(chunk({ tool_calls: [{ index, function: { arguments: piece } }] }));
    }
  }
  if (turn.ending === "error") {
    out.push(data({ error: { message: "The server had an error", type: "server_error", param: null, code: null } }));
  } else if (turn.ending === undefined || turn.ending === "finish") {
    out.push(chunk({}, finishReason(turn)));
    if (request.body.stream_options?.include_usage === true) {
      out.push(data({ ...head(request, "chat.completion.chunk"), choices: [], usage: usage(turn) }));
    }
    out.push("data: [DONE]\n\n");
  }
  return out;
}

const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;

/** What the real service checks of a request and a client gets wrong most easily. */
function refusal({ headers, body }: ReceivedRequest, apiKey: string): RefusalTurn | undefined {
  if (headers.authorization !== `Bearer ${apiKey}`) {
    return { status: 401, message: `Incorrect API key provided: ${headers.authorization?.slice(7) ?? "none"}.` };
  }
  const bad = (message: string): RefusalTurn => ({ status: 400, message });
  if (typeof body.model !== "string") return bad("you must provide a model parameter");
  if (!Array.isArray(body.messages) || body.messages.length === 0) return bad("[] is too short - 'messages'");
  for (const [at, message] of body.messages.entries()) {
    const calls: string[] = (message.tool_calls ?? []).map((call: { id: string }) => call.id);
    const answered: string[] = [];
    for (let next = at + 1; body.messages[next]?.role === "tool"; next++) {
      answered.push(body.messages[next].tool_call_id);
    }
    const missing = calls.filter((id) => !answered.includes(id));
    if (missing.length > 0) {
      return bad(`tool_call_ids did not have response messages: ${missing.join(", ")} (messages[${at}])`);
    }
    for (const call of message.tool_calls ?? []) {
      try {
        JSON.parse(call.function.arguments);
      } catch {
        return bad(`messages[${at}].tool_calls: arguments must be JSON`);
      }
    }
  }
  return undefined;
}
