import { onTestFinished } from "vitest";
import { startFakeOpenAi } from "../fake-providers/openai.js";
import type { AnswerTurn, ReceivedRequest, RefusalTurn } from "../fake-providers/script.js";

/** One request of a run to its model: the run stands still until it is answered. */
export interface Asked {
  /** The message that the run works on. */
  text: string;
  /** The system prompt, for a provider that serves several personas. */
  system: string;
  /** What came of the tools that the run has called so far, oldest first. */
  results: string[];
  /** Whose names it may call. */
  tools: string[];
  answer(turn: AnswerTurn | RefusalTurn): void;
  /** Resolves when the run has given up on the answer: its process died, or it was stopped. */
  abandoned: Promise<void>;
}

/**
 * A model whose every answer is given by the test, so that a run of its persona can be held, and killed, at any point
 * without a clock. It is a real server that speaks a real provider's protocol.
 */
export class Puppet {
  /** For `providers:` in the configuration. */
  readonly provider: { type: "openai-compatible"; baseURL: string; apiKey: string };
  /** Requests so far, those of killed processes included. */
  readonly requests: readonly ReceivedRequest[];
  readonly #arrived: Asked[];
  readonly #waiting: ((asked: Asked) => void)[];

  private constructor(
    url: string,
    requests: readonly ReceivedRequest[],
    arrived: Asked[],
    waiting: ((asked: Asked) => void)[],
  ) {
    this.provider = { type: "openai-compatible", baseURL: url, apiKey: "test-key" };
    this.requests = requests;
    this.#arrived = arrived;
    this.#waiting = waiting;
  }

  /** Serves until the test ends. */
  static async start(): Promise<Puppet> {
    const arrived: Asked[] = [];
    const waiting: ((asked: Asked) => void)[] = [];
    const server = await startFakeOpenAi({
      turns: (request) =>
        new Promise((answer) => {
          const asked = { ...read(request), answer };
          const next = waiting.shift();
          if (next === undefined) arrived.push(asked);
          else next(asked);
        }),
    });
    onTestFinished(() => server.close());
    return new Puppet(server.url, server.requests, arrived, waiting);
  }

  /** The oldest request that nobody has looked at, or the next one to come. */
  asked(): Promise<Asked> {
    const known = this.#arrived.shift();
    return known === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(known);
  }
}

function read({ body, abandoned }: ReceivedRequest): Omit<Asked, "answer"> {
  const said = (role: string): string[] =>
    body.messages.filter((message: { role: string }) => message.role === role).map(textOfMessage);
  return {
    text: said("user").at(-1) ?? "",
    system: said("system").join("\n"),
    results: said("tool"),
    tools: (body.tools ?? []).map((tool: { function: { name: string } }) => tool.function.name),
    abandoned,
  };
}

function textOfMessage({ content }: { content: string | { text?: string }[] }): string {
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("");
}
