import { constants, type ServerHttp2Stream } from "node:http2";

/** Looks in the time that a reader has. */
const LOOKS = 4;

/**
 * Streams that have been written to and not read from, with one timer for all: a reader that takes nothing of what was
 * written for `stallMs` is cut, so that nothing is held for it any longer.
 */
export class Stalls {
  /** How often each was found waiting. */
  readonly #waiting = new Map<ServerHttp2Stream, number>();
  readonly #stallMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(stallMs: number) {
    this.#stallMs = stallMs;
  }

  /** Something is written. */
  begin(stream: ServerHttp2Stream): void {
    this.#waiting.set(stream, 0);
    this.#timer ??= setInterval(() => this.#look(), this.#stallMs / LOOKS).unref();
  }

  /** All of it has been taken, or the stream is gone. */
  end(stream: ServerHttp2Stream): void {
    this.#waiting.delete(stream);
    if (this.#waiting.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    for (const [stream, looks] of this.#waiting) {
      if (looks < LOOKS) this.#waiting.set(stream, looks + 1);
      else {
        this.end(stream);
        stream.close(constants.NGHTTP2_CANCEL);
      }
    }
  }
}
