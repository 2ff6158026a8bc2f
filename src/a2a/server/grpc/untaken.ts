import { constants, type ServerHttp2Stream } from "node:http2";
import { NuncioError } from "../../../shared/errors.js";

export interface UntakenOptions {
  /** A reader that takes nothing for this long is cut, ms. */
  stallMs: number;
  /** Bytes that may wait on one connection before nothing more is written there. */
  perConnection: number;
}

/** Looks in the time that a reader has. */
const LOOKS = 4;

interface Waiting {
  bytes: number;
  /** How often it was found waiting. */
  looks: number;
  connection: Connection;
}

/** All calls of one connection share it, and one that is not read may hold as much as the others together. */
interface Connection {
  bytes: number;
  waiters: Set<() => void>;
}

/**
 * What was written and has not been taken by its reader: bounded in time, with one timer for all, and in bytes for each
 * connection, on which hundreds of calls may ask for large tasks without ever reading an answer.
 */
export class Untaken {
  readonly #waiting = new Map<ServerHttp2Stream, Waiting>();
  readonly #connections = new WeakMap<object, Connection>();
  readonly #options: UntakenOptions;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: UntakenOptions) {
    this.#options = options;
  }

  /** So much is written. Nothing of what was written to the stream before is still waiting. */
  begin(stream: ServerHttp2Stream, bytes: number): void {
    const connection = this.#connectionOf(stream);
    connection.bytes += bytes;
    this.#waiting.set(stream, { bytes, looks: 0, connection });
    this.#timer ??= setInterval(() => this.#look(), this.#options.stallMs / LOOKS).unref();
  }

  /** All of it has been taken, or the stream is gone. */
  end(stream: ServerHttp2Stream): void {
    const waiting = this.#waiting.get(stream);
    if (waiting === undefined) return;
    this.#waiting.delete(stream);
    const { connection, bytes } = waiting;
    connection.bytes -= bytes;
    if (!this.#isFull(connection)) for (const resolve of connection.waiters) resolve();
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** @throws NuncioError limit_reached when too much waits on the connection already: the answer is dropped, not kept */
  requireRoom(stream: ServerHttp2Stream): void {
    if (!this.#isFull(this.#connectionOf(stream))) return;
    throw new NuncioError("limit_reached", "too much waits to be read on this connection", {
      retryable: true,
      hint: "read the answers that were asked for before",
      details: { limit: this.#options.perConnection },
    });
  }

  /** Resolves when there is room on the connection again, or the stream is gone. */
  room(stream: ServerHttp2Stream): Promise<void> {
    const connection = this.#connectionOf(stream);
    if (!this.#isFull(connection) || stream.closed) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        connection.waiters.delete(done);
        stream.off("close", done);
        resolve();
      };
      connection.waiters.add(done);
      stream.once("close", done);
    });
  }

  #isFull({ bytes }: Connection): boolean {
    return bytes >= this.#options.perConnection;
  }

  #connectionOf({ session }: ServerHttp2Stream): Connection {
    const key = session ?? NO_SESSION;
    const known = this.#connections.get(key);
    if (known !== undefined) return known;
    const connection: Connection = { bytes: 0, waiters: new Set() };
    this.#connections.set(key, connection);
    return connection;
  }

  #look(): void {
    for (const [stream, waiting] of this.#waiting) {
      if (waiting.looks < LOOKS) waiting.looks += 1;
      else {
        this.end(stream);
        stream.close(constants.NGHTTP2_CANCEL);
      }
    }
  }
}

/** Streams that are gone have none, and hold nothing. */
const NO_SESSION = {};
