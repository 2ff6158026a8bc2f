import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { Checked } from "./check.js";
import { unreachable, untrusted } from "./errors.js";

/** A name with more addresses is tried at the first of them. */
const MAX_TRIES = 4;

/** How long an address that does not answer keeps us from the next one, ms. */
const TRY_MS = 2_500;

/**
 * Connects to one of the checked addresses, in their order. TLS is spoken with the original host name: the
 * certificate must be for it, and the server is told it (SNI). An address in place of a name is checked as an address.
 *
 * @param ca certificates of authorities, in place of those that Node trusts
 * @param signal ends the attempt; the rejection is its reason
 */
export async function dial(checked: Checked, signal: AbortSignal, ca?: readonly string[]): Promise<Socket> {
  const { host, port, secure } = checked.target;
  const tried = checked.addresses.slice(0, MAX_TRIES);
  let last: unknown;
  for (const address of tried) {
    let socket: Socket | undefined;
    try {
      const ms = address === tried.at(-1) ? undefined : TRY_MS;
      socket = await opened(connect({ host: address, port, noDelay: true }), "connect", signal, ms);
      if (!secure) return socket;
    } catch (error) {
      signal.throwIfAborted();
      last = unreachable(host, error);
      continue;
    }
    try {
      return await opened(connectTls({ socket, ...tlsOptions(host, ca) }), "secureConnect", signal);
    } catch (error) {
      socket.destroy();
      signal.throwIfAborted();
      last = untrusted(host, error);
    }
  }
  throw last;
}

const tlsOptions = (host: string, ca: readonly string[] | undefined) => ({
  // What the certificate has to name. SNI takes names only (RFC 6066, 3).
  host,
  ...(isIP(host) === 0 && { servername: host }),
  ALPNProtocols: ["http/1.1"],
  minVersion: "TLSv1.2" as const,
  // Not left to NODE_TLS_REJECT_UNAUTHORIZED.
  rejectUnauthorized: true,
  ...(ca !== undefined && { ca: [...ca] }),
});

/** Whoever gets the socket attaches his own listeners; an error in between ends it, and must not end the process. */
function opened<S extends Socket>(
  socket: S,
  event: "connect" | "secureConnect",
  signal: AbortSignal,
  withinMs?: number,
): Promise<S> {
  socket.on("error", () => {});
  return new Promise((resolve, reject) => {
    const late = () => fail(new Error(`no connection within ${withinMs} ms`));
    const timer = withinMs === undefined ? undefined : setTimeout(late, withinMs);
    const settled = () => {
      clearTimeout(timer);
      socket.removeListener(event, onOpen);
      socket.removeListener("error", onError);
      socket.removeListener("close", onClose);
      signal.removeEventListener("abort", onAbort);
    };
    const fail = (error: unknown) => {
      settled();
      socket.destroy();
      reject(error);
    };
    const onOpen = () => {
      settled();
      resolve(socket);
    };
    const onError = (error: Error) => fail(error);
    const onClose = () => fail(new Error("the connection was closed"));
    const onAbort = () => fail(signal.reason);
    socket.once(event, onOpen);
    socket.once("error", onError);
    socket.once("close", onClose);
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
}
