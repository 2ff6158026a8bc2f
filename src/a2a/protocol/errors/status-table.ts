import type { Failure, RpcStatus } from "./table.js";

/**
 * Which statuses a caller knows: the table of 1.0.1, or the one before it, by which clients of 0.3 and of 1.0.0 tell what
 * is not offered from what is not possible now (A2A 1.0.0, 5.4).
 */
export type StatusTable = "1.0.1" | "before";

const UNIMPLEMENTED_BEFORE = new Set([
  "PUSH_NOTIFICATION_NOT_SUPPORTED",
  "UNSUPPORTED_OPERATION",
  "VERSION_NOT_SUPPORTED",
]);

const HTTP_BEFORE: Readonly<Record<string, number>> = { TASK_NOT_CANCELABLE: 409, CONTENT_TYPE_NOT_SUPPORTED: 415 };

export const rpcStatusOf = ({ wire }: Failure, statuses: StatusTable): RpcStatus =>
  statuses === "before" && UNIMPLEMENTED_BEFORE.has(wire.reason) ? "UNIMPLEMENTED" : wire.grpc;

/** HTTP status of the REST binding. */
export const httpStatusOf = ({ wire }: Failure, statuses: StatusTable): number =>
  statuses === "before" ? (HTTP_BEFORE[wire.reason] ?? wire.rest) : wire.rest;
