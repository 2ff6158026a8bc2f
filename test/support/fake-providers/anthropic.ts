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

/** A server that speaks the Anthropic Messages API: `POST /v1/messages`, streamed and not. */
export const startFakeAnthropic = (options: FakeOptions): Promise<FakeProvider> =>
  startFakeProvider(anthropic, options);

const ERROR_TYPES: Record<number, string> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  529: "overloaded_error",
};

const anthropic: Dialect = {
  path: "/v1/messages",
  refusal,
  errorBody: (status, message) => ({
    type: "error",
    error: { type: ERROR_TYPES[status] ?? "api_error", message },
    request_id: "req_fake",
  }),
  document: (turn, request) => ({
    ...messageHead(request),
    content: [
      ...(turn.text === undefined ? [] : [{ type: "text", text: piecesOf(turn.text).join("") }]),
      ...(turn.tools ?? []).map((tool) => ({
        type: "tool_use",
        id: tool.id ?? newToolId(),
        name: tool.name,
        input: typeof tool.args === "string" ? {} : tool.args,
      })),
    ],
    stop_reason: stopReason(turn),
    usage: { input_tokens: usageOf(turn).input, output_tokens: usageOf(turn).output },
  }),
  events,
};

const newToolId = () => `toolu_${randomUUID().replaceAll("-", "").slice(0, 24)}`;
const usageOf = (turn: AnswerTurn) => turn.usage ?? { input: 10, output: 5 };
const stopReason = (turn: AnswerTurn) =>
  turn.truncated === true ? "max_tokens" : turn.tools === undefined ? "end_turn" : "tool_use";

const messageHead = (request: ReceivedRequest) => ({
  id: `msg_fake_${request.index}`,
  type: "message",
  role: "assistant",
  model: request.body.model,
  content: [] as unknown[],
  stop_reason: null as string | null,
  stop_sequence: null,
});

function events(turn: AnswerTurn, request: ReceivedRequest): string[] {
  const { input, output } = usageOf(turn);
  const out = [
    event({
      type: "message_start",
      message: { ...messageHead(request), usage: { input_tokens: input, output_tokens: 1 } },
    }),
    event({ type: "ping" }),
  ];
  let index = 0;
  if (turn.text !== undefined) {
    out.push(event({ type: "content_block_start", index, content_block: { type: "text", text: "" } }));
    for (const text of piecesOf(turn.text)) {
      out.push(event({ type: "content_block_delta", index, delta: { type: "text_delta", text } }));
    }
    if (turn.ending === undefined || turn.ending === "finish" || turn.tools !== undefined) {
      out.push(event({ type: "content_block_stop", index }));
    }
    index++;
  }
  for (const tool of turn.tools ?? []) {
    const block = { type: "tool_use", id: tool.id ?? newToolId(), name: tool.name, input: {} };
    out.push(event({ type: "content_block_start", index, content_block: block }));
    for (const partial_json of ["", ...halves(argumentsOf(tool))]) {
      out.push(event({ type: "content_block_delta", index, delta: { type: "input_json_delta", partial_json } }));
    }
    out.push(event({ type: "content_block_stop", index }));
    index++;
  }
  if (turn.ending === "error") {
    out.push(event({ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }));
  } else if (turn.ending === undefined || turn.ending === "finish") {
    out.push(
      event({
        type: "message_delta",
        delta: { stop_reason: stopReason(turn), stop_sequence: null },
        usage: { output_tokens: output },
      }),
      event({ type: "message_stop" }),
    );
  }
  return out;
}

const event = (data: { type: string; [key: string]: unknown }): string =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

/** What the real service checks of a request and a client gets wrong most easily. */
function refusal({ headers, body }: ReceivedRequest, apiKey: string): RefusalTurn | undefined {
  if (headers["x-api-key"] !== apiKey) return { status: 401, message: "invalid x-api-key" };
  const bad = (message: string): RefusalTurn => ({ status: 400, message });
  if (headers["anthropic-version"] === undefined) return bad("anthropic-version: header is required");
  if (typeof body.model !== "string") return bad("model: Field required");
  if (!Number.isInteger(body.max_tokens)) return bad("max_tokens: Field required");
  if (!Array.isArray(body.messages) || body.messages.length === 0) return bad("messages: at least one message");
  if (body.messages[0].role !== "user") return bad("messages: first message must use the user role");
  for (const [at, message] of body.messages.entries()) {
    const blocks = typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content;
    if (blocks.some((block: { type: string; text?: string }) => block.type === "text" && block.text?.trim() === "")) {
      return bad(`messages.${at}: text content blocks must contain non-whitespace text`);
    }
    const uses = idsOf(blocks, "tool_use", "id");
    const next = body.messages[at + 1]?.content;
    const results = idsOf(Array.isArray(next) ? next : [], "tool_result", "tool_use_id");
    const missing = uses.filter((id) => !results.includes(id));
    if (missing.length > 0) return bad(`messages.${at}: tool_use ids without tool_result: ${missing.join(", ")}`);
    if (new Set(uses).size !== uses.length) return bad(`messages.${at}: tool_use ids must be unique`);
  }
  return undefined;
}

const idsOf = (blocks: readonly Record<string, unknown>[], type: string, key: string): unknown[] =>
  blocks.filter((block) => block.type === type).map((block) => block[key]);
