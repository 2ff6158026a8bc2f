import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What an agent was asked. */
export interface Asked {
  method: string;
  params: Record<string, unknown>;
  /** Of the header `X-Api-Key`. */
  key: string | undefined;
}

/** An agent of 1.0 over JSON-RPC that is played by a test, as slowly as the test likes. */
export class HandAgent {
  readonly asked: Asked[] = [];
  url = "";
  /** What it answers; nothing leaves the request open. */
  reply: (asked: Asked) => object | undefined = () => undefined;
  /** Told of each request for the card; while it stands the card is not given. */
  holdsCard: (() => void) | undefined;
  readonly #waiting = new Set<{ is: (asked: Asked) => boolean; found: (asked: Asked) => void }>();
  readonly #server: Server = createServer((request, response) => void this.#take(request, response));

  async start(): Promise<void> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  /** The first request that is so, whether it has come already or not. */
  when(is: (asked: Asked) => boolean): Promise<Asked> {
    const known = this.asked.find(is);
    return known === undefined ? new Promise((found) => this.#waiting.add({ is, found })) : Promise.resolve(known);
  }

  /** How often it was sent this. */
  sent(text: string): number {
    return this.asked.filter(sends(text)).length;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === "GET") {
      if (this.holdsCard !== undefined) return this.holdsCard();
      const main = { url: `${this.url}/rpc`, protocolBinding: "JSONRPC", protocolVersion: "1.0" };
      response.end(JSON.stringify({ name: "by hand", supportedInterfaces: [main], capabilities: {} }));
      return;
    }
    let body = "";
    for await (const chunk of request) body += chunk;
    const { id, method, params } = JSON.parse(body);
    const asked = { method, params, key: request.headers["x-api-key"] as string | undefined };
    this.asked.push(asked);
    const result = this.reply(asked);
    if (result !== undefined) response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    for (const waiter of this.#waiting) {
      if (!waiter.is(asked)) continue;
      this.#waiting.delete(waiter);
      waiter.found(asked);
    }
  }
}

export const sends =
  (text: string) =>
  ({ method, params }: Asked): boolean =>
    method === "SendMessage" && (params.message as { parts: { text: string }[] }).parts[0]?.text === text;
