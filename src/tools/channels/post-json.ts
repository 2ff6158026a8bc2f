import { mayHaveArrived } from "../../outbound/errors.js";
import type { Outbound } from "../../outbound/outbound.js";
import { NuncioError } from "../../shared/errors.js";
import { ChannelError } from "./channel.js";

const TIMEOUT_MS = 15_000;

/** The guard's own words name the host; that is part of what nobody else has to know. */
const PROBLEMS: Partial<Record<string, string>> = {
  OUTBOUND_ADDRESS_REFUSED: "leads to an address that is never opened",
  OUTBOUND_TIMEOUT: "did not answer in time",
  OUTBOUND_REDIRECT: "answered with a redirect, which is not followed",
  OUTBOUND_TLS: "has no certificate that can be trusted",
  OUTBOUND_BROKEN: "broke off its answer",
};

/** Posts to a URL of the operator's. Any 2xx takes it, whatever it says: the answer is not read. */
export async function postJson(
  way: Pick<Outbound, "fetch">,
  url: string,
  body: object,
  signal: AbortSignal,
): Promise<void> {
  let answer: Response;
  try {
    answer = await way.fetch(url, {
      endpoint: "operator",
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      signal,
      limits: { totalMs: TIMEOUT_MS, headersMs: TIMEOUT_MS, maxBytes: Number.MAX_SAFE_INTEGER },
    });
  } catch (error) {
    signal.throwIfAborted();
    const known = NuncioError.is(error) ? error : undefined;
    throw new ChannelError(PROBLEMS[known?.reason ?? ""] ?? "could not be reached", {
      uncertain: mayHaveArrived(error),
      retryable: known?.retryable === true && !mayHaveArrived(error),
    });
  }
  await answer.body?.cancel();
  if (answer.ok) return;
  // A server that fails may have failed after it had posted; one that refuses has not.
  throw new ChannelError(`answered ${answer.status}`, {
    uncertain: answer.status >= 500,
    retryable: answer.status === 429,
  });
}
