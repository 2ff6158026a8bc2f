import * as check from "./check.js";
import { LIMITS } from "./limits.js";
import type { AddressedMessage } from "./read-message.js";
import type { PushWish, SendRequest, TaskRequest } from "./requests.js";

export type Params = Record<string, unknown>;

/** Where the versions differ in a request to send. */
export interface SendSpelling {
  readMessage(value: unknown): AddressedMessage;
  /** Key of the flag in `configuration`, and what blocking is when the flag is true; the contrary without it. */
  flag: string;
  flagBlocks: boolean;
  /** Key of the inline push configuration in `configuration`. */
  push: string;
  readPush(given: Record<string, unknown>, field: string): PushWish;
}

export function readSend(params: Params, { readMessage, flag, flagBlocks, push, readPush }: SendSpelling): SendRequest {
  const { message, contextId, taskId } = readMessage(params.message);
  const request: SendRequest = { message, blocking: !flagBlocks };
  if (contextId !== undefined) request.contextId = contextId;
  if (taskId !== undefined) request.taskId = taskId;
  const configuration = check.optionalObject(params.configuration, "configuration");
  if (configuration !== undefined) {
    check.optionalLabels(configuration.acceptedOutputModes, "configuration.acceptedOutputModes", {
      items: LIMITS.outputModes,
      length: LIMITS.labelLength,
    });
    const historyLength = check.optionalCount(configuration.historyLength, "configuration.historyLength");
    if (historyLength !== undefined) request.historyLength = historyLength;
    if (check.optionalBoolean(configuration[flag], `configuration.${flag}`)) request.blocking = flagBlocks;
    const wish = check.optionalObject(configuration[push], `configuration.${push}`);
    if (wish !== undefined) request.push = readPush(wish, `configuration.${push}.`);
  }
  const metadata = check.optionalStruct(params.metadata, "metadata");
  if (metadata !== undefined) request.metadata = metadata;
  return request;
}

export function readTask(params: Params): TaskRequest {
  const request: TaskRequest = { id: check.id(params.id, "id") };
  const historyLength = check.optionalCount(params.historyLength, "historyLength");
  if (historyLength !== undefined) request.historyLength = historyLength;
  check.optionalStruct(params.metadata, "metadata");
  return request;
}
