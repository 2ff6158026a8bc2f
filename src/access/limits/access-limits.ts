/** `access.limits` of the configuration. All of them count in one process. */
export interface AccessLimits {
  /** Of each caller that is known; absent: as many as it likes. */
  requestsPerMinute?: number | undefined;
  /** Streams and waiting calls that each caller may have open at a time. */
  streams: number;
  /** Requests of one remote address that are refused for want of a valid credential. */
  unauthenticatedPerMinute: number;
}
