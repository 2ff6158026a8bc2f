import { Agent, type IncomingMessage, request } from "node:http";
import { setTimeout as after } from "node:timers/promises";

/** When the client's end of a connection is destroyed: half-way through the request, some time after it, or at the first byte of the answer. */
export type Cut = { at: "request" } | { at: "wait"; ms: number } | { at: "answer" };

export interface Call {
  url: string;
  agent: string;
  method: string;
  params: object;
  /** The last event that was seen of a stream that goes on. */
  lastEventId?: number;
  cut?: Cut | undefined;
}

/** The connection is gone, whoever ended it: whether the call was done is not known. */
export class ConnectionLost extends Error {}

/** An answer of the protocol that is an error. */
export class Refused extends Error {
  readonly status: number;
  readonly code: number;
  /** Reason of the `ErrorInfo`. */
  readonly reason: string | undefined;
  /** The same call may succeed later: the answer says so itself. */
  readonly retryable: boolean;

  constructor(
    status: number,
    error: { code: number; message: string; data?: { reason?: string; retryDelay?: string }[] },
  ) {
    super(`${status} ${error.code}: ${error.message}`);
    this.status = status;
    this.code = error.code;
    this.reason = error.data?.find(({ reason }) => reason !== undefined)?.reason;
    this.retryable = error.data?.some(({ retryDelay }) => retryDelay !== undefined) === true;
  }
}

const agents = new Agent({ keepAlive: true, maxSockets: 512 });

/** A call in A2A 1.0 over JSON-RPC. Throws `ConnectionLost` or `Refused`. */
export async function call<T>(options: Call): Promise<T> {
  const response = await open(options);
  let text = "";
  try {
    response.setEncoding("utf8");
    for await (const chunk of response) text += chunk;
  } catch (error) {
    throw lost(error);
  }
  if (!response.complete) throw new ConnectionLost(response.errored?.message ?? "cut by the server");
  const answer = JSON.parse(text);
  if (answer.error !== undefined) throw new Refused(response.statusCode ?? 0, answer.error);
  return answer.result as T;
}

export interface Frame<T> {
  /** Number of the event in the ledger. */
  id: number;
  value: T;
}

/**
 * A call whose answer is a stream of events. Ends when the server ends it; throws `ConnectionLost` when that was not
 * how it ended.
 *
 * @param options.cut the connection is destroyed in the middle of the stream as well
 */
export async function* stream<T>(options: Call, maxFrames = Number.POSITIVE_INFINITY): AsyncGenerator<Frame<T>, void> {
  const response = await open(options);
  let text = "";
  let frames = 0;
  try {
    response.setEncoding("utf8");
    for await (const chunk of response) {
      text += chunk;
      for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
        const frame = readFrame<T>(text.slice(0, end), response.statusCode ?? 0);
        text = text.slice(end + 2);
        if (frame === undefined) continue;
        yield frame;
        frames += 1;
        if (frames >= maxFrames) {
          response.destroy();
          throw new ConnectionLost("cut by the client");
        }
      }
    }
  } catch (error) {
    throw error instanceof Refused ? error : lost(error);
  } finally {
    response.destroy();
  }
  if (!response.complete) throw new ConnectionLost(response.errored?.message ?? "cut by the server");
  // An error that was known before the first event is an ordinary answer.
  if (text.startsWith("{")) throw new Refused(response.statusCode ?? 0, JSON.parse(text).error);
}

function readFrame<T>(text: string, status: number): Frame<T> | undefined {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(text)?.[1];
  const data = field("data");
  if (data === undefined) return undefined;
  const answer = JSON.parse(data);
  if (answer.error !== undefined) throw new Refused(status, answer.error);
  return { id: Number(field("id")), value: answer.result as T };
}

function open({ url, agent, method, params, lastEventId, cut }: Call): Promise<IncomingMessage> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/v1/agents/${agent}/a2a`, {
      method: "POST",
      agent: agents,
      headers: {
        "content-type": "application/json",
        "content-length": Buffer.byteLength(body),
        "a2a-version": "1.0",
        ...(lastEventId !== undefined && { "last-event-id": String(lastEventId) }),
      },
    });
    let answer: IncomingMessage | undefined;
    const destroy = () => {
      const error = new ConnectionLost("cut by the client");
      reject(error);
      // A request that is destroyed while its answer is read lets that end as if all had come.
      if (answer === undefined) sent.destroy(error);
      else answer.destroy(error);
    };
    sent.on("error", (error) => reject(lost(error)));
    sent.on("response", (response) => {
      answer = response;
      response.on("error", () => {});
      if (cut?.at === "answer") destroy();
      else resolve(response);
    });
    if (cut?.at === "request") {
      sent.write(body.slice(0, body.length >> 1), destroy);
      return;
    }
    sent.end(body);
    if (cut?.at === "wait") void after(cut.ms).then(destroy);
  });
}

const lost = (error: unknown): ConnectionLost =>
  error instanceof ConnectionLost ? error : new ConnectionLost((error as Error).message);
