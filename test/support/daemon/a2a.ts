import { randomUUID } from "node:crypto";
import { plantAllIn } from "../secrets/planted.js";

/** A task as A2A 1.0 shows it. */
export interface WireTask {
  id: string;
  contextId: string;
  status: { state: string; message?: { parts: { text?: string }[] } };
  artifacts?: { artifactId: string; parts: { text?: string }[] }[];
  history?: unknown[];
}

export interface WireMessage {
  text: string;
  messageId?: string;
  contextId?: string;
  taskId?: string;
  /** Answers as soon as the task is durable, and not when it has settled. */
  returnImmediately?: boolean;
  /** Where the caller wants to be notified. */
  push?: object;
  signal?: AbortSignal;
}

/** Sends one message to an agent of the daemon, in A2A 1.0 over JSON-RPC. An error of the protocol is thrown as `A2aError`. */
export async function sendMessage(url: string, agent: string, message: WireMessage): Promise<WireTask> {
  const { text, messageId = randomUUID(), contextId, taskId, returnImmediately = false, push, signal } = message;
  plantAllIn(push);
  const result = await call(url, agent, "SendMessage", signal, {
    message: {
      messageId,
      role: "ROLE_USER",
      parts: [{ text }],
      ...(contextId !== undefined && { contextId }),
      ...(taskId !== undefined && { taskId }),
    },
    configuration: { returnImmediately, ...(push !== undefined && { taskPushNotificationConfig: push }) },
  });
  return result.task as WireTask;
}

export const getTask = async (url: string, agent: string, id: string): Promise<WireTask> =>
  (await call(url, agent, "GetTask", undefined, { id })) as unknown as WireTask;

export const cancelTask = async (url: string, agent: string, id: string): Promise<WireTask> =>
  (await call(url, agent, "CancelTask", undefined, { id })) as unknown as WireTask;

class A2aError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(`${code}: ${message}`);
    this.code = code;
  }
}

async function call(
  url: string,
  agent: string,
  method: string,
  signal: AbortSignal | undefined,
  params: object,
): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}/v1/agents/${agent}/a2a`, {
    method: "POST",
    headers: { "content-type": "application/json", "a2a-version": "1.0" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    ...(signal !== undefined && { signal }),
  });
  const answer = (await response.json()) as {
    result?: Record<string, unknown>;
    error?: { code: number; message: string };
  };
  if (answer.error !== undefined) throw new A2aError(answer.error.code, answer.error.message);
  if (answer.result === undefined) throw new Error(`no result: ${response.status} ${JSON.stringify(answer)}`);
  return answer.result;
}
