import { Metadata } from "@grpc/grpc-js";
import { toGrpcFailure } from "../../protocol/errors/grpc.js";
import type { StatusTable } from "../../protocol/errors/status-table.js";
import type { Method } from "./methods.js";

/** How a call ends that did not go well, as grpc-js takes it. */
export interface FailedStatus {
  code: number;
  details: string;
  metadata: Metadata;
}

export type StatusesOf = (method: Pick<Method, "version">) => StatusTable;

/** `a2a.compat` of the configuration. */
export type Compat = "1.0.1" | "1.0.0";

/** Callers of 0.3 only ever knew the statuses from before. */
export const statusesFor =
  (compat: () => Compat): StatusesOf =>
  ({ version }) =>
    version === "1.0" && compat() === "1.0.1" ? "1.0.1" : "before";

export function failedStatus(error: unknown, statuses: StatusTable): FailedStatus {
  const { code, message, details } = toGrpcFailure(error, statuses);
  const metadata = new Metadata();
  metadata.set("grpc-status-details-bin", details);
  return { code, details: message, metadata };
}
