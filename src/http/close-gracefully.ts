import type { Server } from "node:http";

/**
 * Lets requests that are being answered finish, then closes every connection. Node itself would wait for connections
 * on which nothing was ever asked.
 *
 * @returns what to call when the server is to close
 */
export function closeGracefully(server: Server): (close: () => Promise<unknown>) => Promise<void> {
  let answering = 0;
  let closing = false;
  server.on("request", (_request, response) => {
    answering += 1;
    response.once("close", () => {
      answering -= 1;
      if (closing && answering === 0) server.closeAllConnections();
    });
  });
  return async (close) => {
    closing = true;
    const closed = close();
    if (answering === 0) server.closeAllConnections();
    await closed;
  };
}
