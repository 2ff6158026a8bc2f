import type { ServerResponse } from "node:http";
import type { Authenticated } from "../access/authenticate.js";

/**
 * Calls whose answer takes a while: streams, and blocking calls that wait. Each ends when its connection does, when
 * the key that opened it is revoked or expires, and when the server closes; the task behind it is never touched.
 */
export class OpenCalls {
  readonly #open = new Set<OpenCall>();
  /** Keys that were revoked while a request of theirs may still have been on its way to here. */
  readonly #revoked = new Set<string>();
  #closing = false;

  /** @returns a signal that aborts when nobody may or will read the answer any more */
  open(response: ServerResponse, { keyId, expiresAt }: Authenticated): AbortSignal {
    const call: OpenCall = { end: new AbortController(), keyId, expiresAt };
    if (this.#closing || response.closed || (keyId !== undefined && this.#revoked.has(keyId))) end(call);
    this.#open.add(call);
    response.once("close", () => {
      this.#open.delete(call);
      // Most answers have been written when their connection is done with them, and nobody listens any more.
      if (!response.writableFinished) end(call);
    });
    return call.end.signal;
  }

  endOfKey(keyId: string): void {
    this.#revoked.add(keyId);
    for (const call of this.#open) if (call.keyId === keyId) end(call);
  }

  endExpired(now: number): void {
    for (const call of this.#open) if (call.expiresAt !== undefined && call.expiresAt <= now) end(call);
  }

  /** Ends all, and every one that is opened from now on. */
  endAll(): void {
    this.#closing = true;
    for (const call of this.#open) end(call);
  }
}

/** Made once: the default reason is an exception with a stack, for each call anew. */
const ENDED = new Error("the call has ended");

const end = (call: OpenCall): void => call.end.abort(ENDED);

interface OpenCall {
  end: AbortController;
  keyId: string | undefined;
  expiresAt: number | undefined;
}
