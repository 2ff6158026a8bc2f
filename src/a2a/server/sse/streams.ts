import type { ServerResponse } from "node:http";
import { writeChunk, writeFirstChunk } from "./write-chunk.js";

/** A comment: keeps proxies from closing an idle stream, and means nothing to readers. */
const HEARTBEAT = ":\n\n";

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store",
  // Proxies of the nginx family hold back what they are not told to pass on.
  "x-accel-buffering": "no",
};

export interface StreamsOptions {
  heartbeatMs: number;
  /** A reader that does not take a piece in this time is gone, whatever its connection says. */
  stallMs: number;
}

/** An open stream as the timer sees it. */
interface OpenStream {
  response: ServerResponse;
  /** The headers have been written, with the first piece. */
  begun: boolean;
  /** Milliseconds for which the reader has not taken the piece that it was sent. */
  stalledMs: number;
}

/** All open streams, with one heartbeat for all: an idle stream has no timer of its own. */
export class Streams {
  readonly #open = new Set<OpenStream>();
  readonly #options: StreamsOptions;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: StreamsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#open.size;
  }

  /**
   * Writes the pieces as they come, at the pace of the reader, then ends the response. Resolves when it is over, also
   * because the reader has gone; `frames` is then left, which ends whatever it listens to.
   */
  async serve(response: ServerResponse, frames: AsyncIterable<string>): Promise<void> {
    response.writeHead(200, HEADERS);
    const { socket } = response;
    // The heartbeat finds out who does not read: the timer that every other connection has would be one too many.
    socket?.setTimeout(0);
    const stream: OpenStream = { response, begun: false, stalledMs: 0 };
    this.#add(stream);
    try {
      for await (const text of frames) {
        if (!write(stream, text)) await drained(response);
        if (response.destroyed) break;
        stream.stalledMs = 0;
      }
    } finally {
      this.#remove(stream);
      socket?.setTimeout(this.#options.stallMs);
      response.end();
    }
  }

  #add(stream: OpenStream): void {
    this.#open.add(stream);
    if (this.#timer !== undefined) return;
    this.#timer = setInterval(() => this.#beat(), this.#options.heartbeatMs);
    this.#timer.unref();
  }

  #remove(stream: OpenStream): void {
    this.#open.delete(stream);
    if (this.#open.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #beat(): void {
    for (const stream of this.#open) {
      const { response } = stream;
      if (!(response.socket ?? response).writableNeedDrain) {
        stream.stalledMs = 0;
        write(stream, HEARTBEAT);
      } else {
        stream.stalledMs += this.#options.heartbeatMs;
        if (stream.stalledMs >= this.#options.stallMs) response.destroy();
      }
    }
  }
}

function write(stream: OpenStream, text: string): boolean {
  if (stream.begun) return writeChunk(stream.response, text);
  stream.begun = true;
  return writeFirstChunk(stream.response, text);
}

/** Resolves when more may be written, or when nothing will be read any more. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const connection = response.socket ?? response;
    const done = () => {
      connection.off("drain", done);
      response.off("close", done);
      resolve();
    };
    connection.once("drain", done);
    response.once("close", done);
  });
}
