import type { Outbound } from "../../../outbound/outbound.js";
import { messageOf, NuncioError } from "../../../shared/errors.js";
import type { ProtocolVersion } from "../../protocol/version.js";
import type { PushTarget } from "./target.js";

/** What a receiver is told, once. */
export interface Notification {
  /** Number of the event; everything up to here has been told with it. */
  seq: number;
  /** JSON text. */
  body: string;
}

export type Posted =
  | { type: "taken"; status: number }
  /** `gone`: it does not want to hear from us any more. `retryAfterMs`: it asks for so much time. */
  | { type: "refused"; status: number | null; error: string; gone: boolean; retryAfterMs: number };

const CONTENT_TYPES: Record<ProtocolVersion, string> = { "1.0": "application/a2a+json", "0.3": "application/json" };

/** The same over all attempts and from whichever node: by this a receiver knows what it has had already. */
const EVENT_ID_HEADER = "X-Nuncio-Event-Id";

/**
 * One attempt to tell a receiver (A2A 1.0, 4.3.3; 0.3, 9.5). Any 2xx takes it, whatever it says; its answer is not read.
 * Where the URL leads is looked at anew, and the connection is made to what was looked at.
 */
export async function post(
  outbound: Pick<Outbound, "fetch">,
  target: PushTarget,
  { version, taskId, notification }: { version: ProtocolVersion; taskId: string; notification: Notification },
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Posted> {
  try {
    const answer = await outbound.fetch(target.url, {
      method: "POST",
      headers: headersOf(target, version, `${taskId}/${notification.seq}`),
      body: notification.body,
      signal,
      limits: { connectMs: timeoutMs, headersMs: timeoutMs, totalMs: timeoutMs, maxBytes: Number.MAX_SAFE_INTEGER },
    });
    await answer.body?.cancel();
    const { status, ok } = answer;
    if (ok) return { type: "taken", status };
    const retryAfterMs = secondsIn(answer.headers.get("retry-after")) * 1000;
    return { type: "refused", status, error: `it answered ${status}`, gone: status === 410, retryAfterMs };
  } catch (error) {
    signal.throwIfAborted();
    // What the guard says names the host and nothing else.
    const said = NuncioError.is(error) ? messageOf(error) : "it could not be told";
    return { type: "refused", status: null, error: said, gone: false, retryAfterMs: 0 };
  }
}

function headersOf(target: PushTarget, version: ProtocolVersion, eventId: string): Record<string, string> {
  const headers: Record<string, string> = {
    "Content-Type": CONTENT_TYPES[version],
    "A2A-Version": version,
    [EVENT_ID_HEADER]: eventId,
  };
  if (target.token !== undefined) headers["X-A2A-Notification-Token"] = target.token;
  const scheme = target.schemes[0];
  if (scheme !== undefined && target.credentials !== undefined) {
    headers.Authorization = `${scheme} ${target.credentials}`;
  }
  return headers;
}

const secondsIn = (retryAfter: string | null): number =>
  retryAfter !== null && /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) : 0;
