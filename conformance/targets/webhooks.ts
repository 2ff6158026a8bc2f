import { randomUUID } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

export interface Delivery {
  method: string;
  headers: IncomingHttpHeaders;
  body: unknown;
}

/** A webhook of its own for one case. */
export interface Webhook {
  url: string;
  received: readonly Delivery[];
  /** The next delivery after those that were taken; the time limit of the case ends the wait. */
  next(): Promise<Delivery>;
}

export interface Webhooks {
  /** `host:port`, which the server must be able to reach. */
  address: string;
  open(): Webhook;
  close(): Promise<void>;
}

/** Listens on loopback, and gives each webhook a path of its own. */
export async function startWebhooks(): Promise<Webhooks> {
  const takers = new Map<string, (delivery: Delivery) => void>();
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      const taker = takers.get(request.url as string);
      response.writeHead(taker === undefined ? 404 : 204).end();
      const text = Buffer.concat(pieces).toString();
      taker?.({ method: request.method as string, headers: request.headers, body: parsed(text) });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    address,
    open() {
      const path = `/${randomUUID()}`;
      const received: Delivery[] = [];
      const waiting: ((delivery: Delivery) => void)[] = [];
      let taken = 0;
      takers.set(path, (delivery) => {
        received.push(delivery);
        const next = waiting.shift();
        if (next !== undefined) {
          taken += 1;
          next(delivery);
        }
      });
      return {
        url: `http://${address}${path}`,
        received,
        next() {
          const there = received[taken];
          if (there === undefined) return new Promise((resolve) => waiting.push(resolve));
          taken += 1;
          return Promise.resolve(there);
        },
      };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
