/**
 * Whether a request was addressed to this machine in words that no stranger chooses: an address, or `localhost`.
 *
 * A web page can have its own name lead to 127.0.0.1 (DNS rebinding), and what its scripts then send reaches a listener
 * on loopback from this very machine. Only the name that it was addressed to gives it away.
 *
 * @param host the `Host` header
 */
export const isOwnMachine = (host: string): boolean =>
  /^(?:localhost|(?:\d{1,3}\.){3}\d{1,3}|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/i.test(host);
