import type { OutboundRequest } from "../../src/outbound/outbound.js";

export interface FakeRequest {
  url: string;
  method: string;
  headers: Headers;
  /** The JSON-RPC envelope; undefined for a card. */
  rpc: { id: string; method: string; params: Record<string, unknown> } | undefined;
}

/** Result of a JSON-RPC call; an `Error` is a way that fails, a `Response` the answer as it is. */
export type FakeAnswer = object | Error | Response;

/**
 * An agent outside, without a socket: stands in for the way out, so that the client, the tool and everything between
 * are the real ones.
 */
export class FakeAgent {
  readonly requests: FakeRequest[] = [];
  card: object;
  answer: (request: FakeRequest) => FakeAnswer | Promise<FakeAnswer>;

  constructor(
    readonly url: string,
    answer: FakeAgent["answer"],
    card: object = {},
  ) {
    this.answer = answer;
    this.card = {
      name: "fake",
      supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
      capabilities: {},
      ...card,
    };
  }

  /** What it was asked to do, without its card. */
  get asked(): string[] {
    return this.requests.flatMap(({ rpc }) => (rpc === undefined ? [] : [rpc.method]));
  }

  get outbound() {
    return async () => ({
      fetch: async (url: unknown, request: OutboundRequest = {}): Promise<Response> => {
        request.signal?.throwIfAborted();
        const rpc =
          typeof request.body === "string" && request.body.startsWith("{") ? JSON.parse(request.body) : undefined;
        const asked = { url: String(url), method: request.method ?? "GET", headers: new Headers(request.headers), rpc };
        this.requests.push(asked);
        if (asked.url.endsWith("/agent-card.json")) return Response.json(this.card);
        const answer = await raced(this.answer(asked), request.signal);
        if (answer instanceof Error) throw answer;
        if (answer instanceof Response) return within(answer, request.signal);
        return Response.json({ jsonrpc: "2.0", id: rpc?.id, result: answer });
      },
    });
  }
}

/** A body fails with the signal, as on the real way out. */
function within(answer: Response, signal: AbortSignal | undefined): Response {
  if (answer.body === null || signal === undefined) return answer;
  return new Response(answer.body.pipeThrough(new TransformStream(), { signal }), answer);
}

function raced<T>(work: T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return Promise.resolve(work);
  return new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    Promise.resolve(work).then(resolve, reject);
  });
}

/** A task as 1.0 shows it. */
export const fakeTask = (state: string, text?: string, ids: { id?: string; contextId?: string } = {}) => ({
  id: ids.id ?? "0a1b",
  contextId: ids.contextId ?? "0c2d",
  status: {
    state: `TASK_STATE_${state}`,
    ...(state !== "COMPLETED" && text !== undefined && { message: fakeMessage(text) }),
  },
  ...(state === "COMPLETED" && { artifacts: [{ artifactId: "a", parts: [{ text }] }] }),
});

export const fakeMessage = (text: string) => ({ messageId: "m", role: "ROLE_AGENT", parts: [{ text }] });
