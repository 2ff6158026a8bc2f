import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { AnswerTurn, FakeOptions, FakeProvider, ReceivedRequest, RefusalTurn } from "./script.js";

/** The wire format of one kind of provider. */
export interface Dialect {
  path: string;
  /** Why the real provider would refuse the request, or undefined. */
  refusal(request: ReceivedRequest, apiKey: string): RefusalTurn | undefined;
  errorBody(status: number, message: string): unknown;
  /** The whole answer as one JSON document, for requests that do not stream. */
  document(turn: AnswerTurn, request: ReceivedRequest): unknown;
  /** The events of a streamed answer, in order, up to where `turn.ending` departs from the normal end. */
  events(turn: AnswerTurn, request: ReceivedRequest): readonly string[];
}

const MAX_BODY_BYTES = 16 * 1024 * 1024;

/** Serves a script on a free port of the loopback interface. */
export async function startFakeProvider(dialect: Dialect, options: FakeOptions): Promise<FakeProvider> {
  const apiKey = options.apiKey ?? "test-key";
  const requests: ReceivedRequest[] = [];
  const awaited: { index: number; resolve: (request: ReceivedRequest) => void }[] = [];

  const server = createServer((req, res) => {
    serve(req, res).catch((error: unknown) => {
      if (res.headersSent) res.destroy();
      else sendJson(res, 500, dialect.errorBody(500, `the fake provider failed: ${String(error)}`));
    });
  });

  async function serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    if (req.method !== "POST" || req.url !== dialect.path) {
      sendJson(res, 404, dialect.errorBody(404, `${req.method} ${req.url} does not exist`));
      return;
    }
    const body = JSON.parse(await readBody(req));
    const abandoned = new Promise<void>((resolve) => {
      res.on("close", () => {
        if (!res.writableFinished) resolve();
      });
    });
    const request: ReceivedRequest = { index: requests.length, headers: req.headers, body, abandoned };
    requests.push(request);
    for (const waiting of awaited.filter(({ index }) => index === request.index)) waiting.resolve(request);

    const turn = dialect.refusal(request, apiKey) ?? (await turnFor(options, request));
    if ("hang" in turn) return;
    if ("status" in turn) {
      const message = turn.message ?? `refused with ${turn.status}`;
      sendJson(res, turn.status, dialect.errorBody(turn.status, message), turn.headers);
    } else if (body.stream === true) {
      await sendEvents(res, turn, dialect.events(turn, request));
    } else {
      sendJson(res, 200, dialect.document(turn, request));
    }
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    request: (index) => {
      const known = requests[index];
      return known !== undefined ? Promise.resolve(known) : new Promise((resolve) => awaited.push({ index, resolve }));
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

async function turnFor(options: FakeOptions, request: ReceivedRequest) {
  if (typeof options.turns === "function") return options.turns(request);
  const turn = options.turns[request.index];
  // Not retryable, so that a client that asks once too often fails at once.
  return turn ?? { status: 400, message: `the script has no turn for request ${request.index}` };
}

async function readBody(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw new Error("the request is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function sendJson(res: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  res.writeHead(status, { "content-type": "application/json", ...headers });
  res.end(JSON.stringify(body));
}

/** Events are written in two pieces each, cut at a byte and not at a character. */
async function sendEvents(res: ServerResponse, turn: AnswerTurn, events: readonly string[]): Promise<void> {
  res.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  for (const event of events) {
    const bytes = Buffer.from(event, "utf8");
    const middle = bytes.length >> 1;
    await write(res, bytes.subarray(0, middle));
    await write(res, bytes.subarray(middle));
  }
  if (turn.ending === "hang") return;
  if (turn.ending === "cut") res.destroy();
  else res.end();
}

const write = (res: ServerResponse, bytes: Buffer): Promise<void> =>
  new Promise((resolve) => {
    res.write(bytes, () => resolve());
  });
