import { type Complaint, complained, invalidAnswer } from "../errors.js";

/** The whole of an answer as JSON; undefined when it is none. Bounded by the limits that it was asked with. */
export async function jsonOf(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An answer that is no result: throws what the agent complains of, if it does. */
export function throwComplaint(response: Response, error: unknown, rpc: boolean): void {
  const { status } = response;
  if (!isObject(error)) {
    if (status >= 200 && status < 300) return;
    throw complained({ ...plain(response), text: undefined });
  }
  throw complained({
    ...plain(response),
    rpcCode: rpc && typeof error.code === "number" ? error.code : undefined,
    reason: reasonIn(rpc ? error.data : error.details),
    text: typeof error.message === "string" ? error.message : undefined,
  });
}

const plain = (response: Response): Omit<Complaint, "text"> => ({
  status: response.status,
  rpcCode: undefined,
  reason: undefined,
  retryAfterSeconds: secondsIn(response.headers.get("retry-after")),
});

const secondsIn = (header: string | null): number | undefined =>
  header !== null && /^\d{1,6}$/.test(header) ? Number(header) : undefined;

/** The reason of a `google.rpc.ErrorInfo` among the details (A2A 1.0, 9.5 and 11.6). */
function reasonIn(details: unknown): string | undefined {
  if (!Array.isArray(details)) return undefined;
  const info = details.find((detail) => isObject(detail) && String(detail["@type"]).endsWith("google.rpc.ErrorInfo"));
  const reason = isObject(info) ? info.reason : undefined;
  return typeof reason === "string" && /^[A-Z0-9_]{1,64}$/.test(reason) ? reason : undefined;
}

export const isEventStream = (response: Response): boolean =>
  /^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "");

/** The data of one event. */
export function eventJson(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw invalidAnswer("an event of the stream is not JSON");
  }
}
