import { PEER_CLIENTS, type PeerClient } from "../../../plans/grant.js";
import { NuncioError } from "../../../shared/errors.js";
import { requestedVersion } from "../../protocol/version.js";
import { operationOf } from "../json-rpc/methods.js";
import type { OperationName } from "../operations/operation.js";

/** Peers are let in with this version alone, and are never told to come with an older one. */
const SERVED = ["1.0"] as const;

/** How requests are taken at one endpoint. */
export interface Dialect {
  /** Below the base URL. */
  path: string;
  /** The client that it is for; null for all that keep to the protocol. */
  client: PeerClient | null;
  operations: readonly OperationName[];
  /** A request that names no version is one of 1.0. One that names another is refused by every dialect. */
  suppliesVersion: boolean;
  /** A request that names no tenant is for the granted one. */
  suppliesTenant: boolean;
}

const STANDARD: Dialect = {
  path: "/a2a",
  client: null,
  operations: ["send", "stream", "get", "cancel", "subscribe"],
  suppliesVersion: false,
  suppliesTenant: false,
};

/** Clients that were watched, and differ from the protocol in what they leave out. */
const OF_CLIENTS: Record<PeerClient, Pick<Dialect, "operations" | "suppliesVersion" | "suppliesTenant">> = {
  "openclaw-2026.10.5": { operations: ["send", "get"], suppliesVersion: true, suppliesTenant: true },
};

export const DIALECTS: readonly Dialect[] = [
  STANDARD,
  ...PEER_CLIENTS.map((client) => ({ path: `/a2a/${client}`, client, ...OF_CLIENTS[client] })),
];

/** The endpoint that a grant is for. */
export const dialectOf = (client: PeerClient | null): Dialect =>
  DIALECTS.find((dialect) => dialect.client === client) ?? STANDARD;

/** @param header `A2A-Version`, as it came */
export function checkVersion(header: string | undefined, { suppliesVersion }: Dialect): void {
  if (header !== undefined || !suppliesVersion) requestedVersion(header ?? "", SERVED);
}

/** What 1.0 knows and this endpoint does not offer is not offered; everything else does not exist. */
export function offeredOperation(method: string, { operations }: Dialect): OperationName {
  const operation = operationOf(method, "1.0", SERVED);
  if (operations.includes(operation)) return operation;
  throw new NuncioError("unsupported", `${method} is not offered here`, { reason: reasonFor(operation) });
}

function reasonFor(operation: OperationName): string {
  if (operation === "extendedCard") return "EXTENDED_AGENT_CARD_NOT_CONFIGURED";
  return operation.endsWith("Push") ? "PUSH_NOTIFICATION_NOT_SUPPORTED" : "UNSUPPORTED_OPERATION";
}
