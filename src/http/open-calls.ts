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
    if (this.#closing || response.closed || (keyId !== undefined && this.#revoked.has(keyId))) call.end.abort();
    this.#open.add(call);
    response.once("close", () => {
      this.#open.delete(call);
      call.end.abort();
    });
    return call.end.signal;
  }

  endOfKey(keyId: string): void {
    this.#revoked.add(keyId);
    for (const call of this.#open) if (call.keyId === keyId) call.end.abort();
  }

  endExpired(now: number): void {
    for (const call of this.#open) if (call.expiresAt !== undefined && call.expiresAt <= now) call.end.abort();
  }

  /** Ends all, and every one that is opened from now on. */
  endAll(): void {
    this.#closing = true;
    for (const call of this.#open) call.end.abort();
  }
}

interface OpenCall {
  end: AbortController;
  keyId: string | undefined;
  expiresAt: number | undefined;
}
