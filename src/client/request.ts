import { type IncomingMessage, request } from "node:http";
import { type ErrorCode, NuncioError } from "../shared/errors.js";
import { nuncioVersion } from "../shared/version.js";
import { DaemonGoneError, NoDaemonError, OtherVersionError } from "./errors.js";

export interface ControlRequest {
  method: "GET" | "POST" | "DELETE";
  path: string;
  query?: Record<string, string | number | undefined>;
  body?: Record<string, unknown>;
  signal?: AbortSignal;
}

/** Sends one request on a connection of its own; resolves with a successful answer, rejects with a typed error. */
export async function send(socketPath: string, asked: ControlRequest): Promise<IncomingMessage> {
  const response = await open(socketPath, asked);
  const version = String(response.headers["nuncio-version"] ?? "");
  if (major(version) !== major(nuncioVersion())) {
    response.destroy();
    throw new OtherVersionError(version === "" ? "of an unknown version" : version, nuncioVersion());
  }
  if ((response.statusCode ?? 500) < 400) return response;
  throw toError(await readJson(response));
}

/** Longer than anything takes that the daemon answers with one document. */
const ANSWER_MS = 60_000;

/** A successful answer as the document that it is. */
export async function json<T>(socketPath: string, asked: ControlRequest): Promise<T> {
  const signal = AbortSignal.timeout(ANSWER_MS);
  try {
    return (await readJson(await send(socketPath, { ...asked, signal }))) as T;
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new NuncioError("unavailable", `the daemon has not answered within ${ANSWER_MS / 1000} s`, {
      hint: "it may be overloaded or stopped: look at its process and its log",
      cause: error,
    });
  }
}

function open(
  socketPath: string,
  { method, path, query = {}, body, signal }: ControlRequest,
): Promise<IncomingMessage> {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value));
  const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  return new Promise((resolve, reject) => {
    const outgoing = request({
      socketPath,
      method,
      path: search.size === 0 ? path : `${path}?${search}`,
      agent: false,
      headers: payload === undefined ? {} : { "content-type": "application/json", "content-length": payload.length },
      ...(signal !== undefined && { signal }),
    });
    outgoing.once("error", (error) => reject(connectionError(error as NodeJS.ErrnoException, socketPath)));
    outgoing.once("response", resolve);
    outgoing.end(payload);
  });
}

function connectionError(error: NodeJS.ErrnoException, socketPath: string): Error {
  switch (error.code) {
    case "ENOENT":
    case "ECONNREFUSED":
    case "ENOTSOCK":
    case "ENOTDIR":
      return new NoDaemonError(socketPath, error);
    case "EACCES":
    case "EPERM":
      return new NuncioError("permission_denied", `the control socket ${socketPath} belongs to somebody else`, {
        hint: "run this command as the user that runs the daemon",
        cause: error,
      });
    case "ECONNRESET":
    case "EPIPE":
      return new DaemonGoneError(error);
    default:
      return error;
  }
}

async function readJson(response: IncomingMessage): Promise<unknown> {
  response.setEncoding("utf8");
  let text = "";
  for await (const chunk of response) text += chunk;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new NuncioError("internal", "the daemon's answer is not JSON", { cause: error });
  }
}

/** The error that the daemon described. */
export function toError(document: unknown): NuncioError {
  const error = (document as { error?: Record<string, unknown> } | null)?.error;
  const text = (name: string) => (typeof error?.[name] === "string" ? (error[name] as string) : undefined);
  const [field, reason, hint, requestId] = [text("field"), text("reason"), text("hint"), text("requestId")];
  return new NuncioError(
    (text("code") ?? "internal") as ErrorCode,
    text("message") ?? "the daemon answered with an error",
    {
      retryable: error?.retryable === true,
      ...(field !== undefined && { field }),
      ...(reason !== undefined && { reason }),
      ...(hint !== undefined && { hint }),
      ...(requestId !== undefined && { details: { requestId } }),
    },
  );
}

const major = (version: string): string => version.split(".")[0] ?? "";
