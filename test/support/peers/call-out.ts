import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import type { Tell } from "./peer-event.js";

/** Work that a peer wants done elsewhere. */
export interface CallOrder {
  url: string;
  tokenFile: string;
  text: string;
  messageId?: string;
  /** Beside those that it sends anyway: which are few. */
  headers?: Record<string, string>;
  params?: Record<string, unknown>;
}

const POLL_MS = 50;
const MOST_POLLS = 400;

/** Sends one message and asks after its task until that has ended. The version is not named, nor is a tenant. */
export async function callOut(
  { url, tokenFile, text, messageId, headers, params }: CallOrder,
  tell: Tell,
): Promise<void> {
  const { token } = JSON.parse(readFileSync(tokenFile, "utf8"));
  const call = async (method: string, given: object): Promise<Answer> => {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}`, ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: randomUUID(), method, params: { ...given, ...params } }),
      redirect: "manual",
    });
    const body = await response.json().catch(() => null);
    tell({ type: "answer", method, status: response.status, body });
    return body ?? {};
  };
  const message = { messageId: messageId ?? randomUUID(), role: "ROLE_USER", parts: [{ text }] };
  let task = (await call("SendMessage", { message, configuration: { returnImmediately: true } })).result?.task;
  for (let polls = 0; task !== undefined && !ENDED.test(task.status.state) && polls < MOST_POLLS; polls += 1) {
    await setTimeout(POLL_MS);
    task = (await call("GetTask", { id: task.id })).result as RemoteTask | undefined;
  }
  tell({ type: "called", state: task?.status.state ?? null });
}

const ENDED = /COMPLETED|FAILED|CANCELED|REJECTED/;

interface RemoteTask {
  id: string;
  status: { state: string };
}

interface Answer {
  result?: { task?: RemoteTask };
}
