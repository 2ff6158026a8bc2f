import type { RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Requests that may wait on one connection; whoever sends more without reading is cut off. */
const MAX_WAITING = 32;

/** What happens on one connection. */
interface Line {
  /** The answer to the request that came last. */
  last: ServerResponse;
  waiting: number;
}

/**
 * Keeps what one connection can cost to one answer.
 *
 * A client may send many requests before it reads the first answer (RFC 9112, 9.3.2), and Node hands all of them over
 * at once: a few kilobytes that ask for large tasks would make us hold every answer for somebody who never reads. Here
 * they are answered one after another, each begun when the answer before it has been taken; a connection that takes
 * nothing for `stallMs` is cut. When it is gone, so is what was waiting on it.
 */
export class Connections {
  readonly #lines = new WeakMap<Socket, Line>();

  oneByOne(handle: RequestListener): RequestListener {
    return (request, response) => {
      const { socket } = request;
      const line = this.#lines.get(socket);
      if (line === undefined) {
        this.#lines.set(socket, { last: response, waiting: 0 });
        handle(request, response);
        return;
      }
      const before = line.last;
      line.last = response;
      if (before.closed) handle(request, response);
      else if (line.waiting === MAX_WAITING) socket.destroy();
      else {
        line.waiting += 1;
        before.once("close", () => {
          line.waiting -= 1;
          if (!socket.destroyed) handle(request, response);
        });
      }
    };
  }

  /** Idle connections are cut, too; one that waits for an answer of ours is not. */
  cutStalled(server: Server, stallMs: number): void {
    server.setTimeout(stallMs, (socket) => {
      const line = this.#lines.get(socket);
      if (line === undefined || line.last.closed || socket.writableLength > 0) socket.destroy();
    });
  }
}
