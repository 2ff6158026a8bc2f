import type { RequestListener, Server } from "node:http";

/**
 * Lets requests that are being answered finish, then closes every connection. Node itself would wait for connections
 * on which nothing was ever asked.
 */
export class GracefulClose {
  #answering = 0;
  #server: Server | undefined;

  /** Counts the requests that `handle` is answering. */
  counted(handle: RequestListener): RequestListener {
    return (request, response) => {
      this.#answering += 1;
      // Which comes once: `on` spares the wrapper that would take it off again.
      response.on("close", () => {
        this.#answering -= 1;
        if (this.#answering === 0) this.#server?.closeAllConnections();
      });
      handle(request, response);
    };
  }

  /** Takes no new connections, and resolves when the last one is gone. */
  async close(server: Server): Promise<void> {
    this.#server = server;
    const closed = new Promise((resolve) => server.close(resolve));
    if (this.#answering === 0) server.closeAllConnections();
    await closed;
  }
}
