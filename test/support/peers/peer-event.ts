import type { IncomingHttpHeaders } from "node:http";

/** What a peer program tells of itself: one JSON document a line, on its standard output. */
export type PeerEvent =
  /** The first line. */
  | { type: "listening"; port: number }
  /** Whatever came in on a connection, before anybody made anything of it. */
  | { type: "bytes"; connection: number; base64: string }
  | ArrivedRequest
  /** What somebody whom the peer had called answered. */
  | { type: "answer"; method: string; status: number; body: unknown }
  /** A call of the peer's own is over. */
  | { type: "called"; state: string | null };

/** A request that was complete. */
export interface ArrivedRequest {
  type: "request";
  connection: number;
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  /** Of JSON-RPC; null for anything else. */
  call: { method: string; params: Record<string, unknown> } | null;
  /** Whether the right token was shown. */
  authenticated: boolean;
}

export type Tell = (event: PeerEvent) => void;
