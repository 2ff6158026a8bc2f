import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  path: string;
  headers: IncomingMessage["headers"];
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape.
  body: any;
}

type Answer = (request: Received, response: ServerResponse, count: number) => void;

const takes: Answer = (_, response) => response.writeHead(204).end();
export const says =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (_, response) =>
    response.writeHead(status, headers).end("not for anybody");
/** Never answers. */
export const hangs: Answer = () => {};

/** A receiver of push notifications on loopback. Each path has an answer of its own. */
export class Receiver {
  readonly received: Received[] = [];
  readonly #answers = new Map<string, Answer>();
  readonly #server = createServer((request, response) => this.#on(request, response));
  readonly #waiting = new Set<() => void>();
  port = 0;

  static async start(port = 0): Promise<Receiver> {
    const receiver = new Receiver();
    await new Promise<void>((resolve) => receiver.#server.listen(port, "127.0.0.1", resolve));
    receiver.port = (receiver.#server.address() as AddressInfo).port;
    return receiver;
  }

  get pair(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** The URL of a path that answers so; it takes everything when nothing is said. */
  url(path: string, answer: Answer = takes): string {
    this.#answers.set(path, answer);
    return `http://${this.pair}${path}`;
  }

  at(path: string): Received[] {
    return this.received.filter((each) => each.path === path);
  }

  /** Resolves once `path` has been told `count` times. */
  async until(path: string, count: number): Promise<Received[]> {
    await this.#when(() => this.at(path).length >= count);
    return this.at(path);
  }

  async #when(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => this.#waiting.add(resolve));
  }

  #on(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? "";
    let text = "";
    request.setEncoding("utf8");
    request.on("data", (piece: string) => {
      text += piece;
    });
    request.on("end", () => {
      const received = { path, headers: request.headers, body: text === "" ? "" : JSON.parse(text) };
      this.received.push(received);
      (this.#answers.get(path) ?? takes)(received, response, this.at(path).length);
      const waiting = [...this.#waiting];
      this.#waiting.clear();
      for (const ring of waiting) ring();
    });
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
