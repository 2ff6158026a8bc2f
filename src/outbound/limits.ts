/** What one request may cost. Times are in milliseconds. */
export interface OutboundLimits {
  /** Until the connection stands, the name's resolution and the TLS handshake included. */
  connectMs: number;
  /** From the request to the end of the answer's headers. */
  headersMs: number;
  /** Between two pieces of the answer's body. */
  idleMs: number;
  /** From the call to the last byte of the answer. */
  totalMs: number;
  /** Bytes of the answer's body. */
  maxBytes: number;
  /** Bytes of the answer's headers. */
  maxHeaderBytes: number;
}

export const OUTBOUND_LIMITS: OutboundLimits = {
  connectMs: 10_000,
  headersMs: 30_000,
  idleMs: 30_000,
  totalMs: 60_000,
  maxBytes: 1024 * 1024,
  maxHeaderBytes: 16 * 1024,
};
