import { EventEmitter, once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { type HostileRequest, parseRequest } from "./hostile-request.js";

/**
 * What a hostile peer sends for one request: bytes exactly as they stand, one piece after another; it may go on for as long
 * as somebody reads.
 */
export type HostileAnswer = Uint8Array | string | AsyncIterable<Uint8Array | string>;

/** Where a connection is cut: after so many bytes of one request, at least one, or of its answer. */
export interface Cut {
  /** Which request is meant, counted from 0 among those that look alike from outside: cards are fetched, calls are posted. */
  method: "GET" | "POST";
  nth: number;
  of: "request" | "answer";
  after: number;
  /** Orderly, or with a reset. */
  how: "end" | "reset";
}

/** What came of a request that was begun: all that a peer can know about it. */
export interface Exchange {
  method: "GET" | "POST";
  /** Null when the connection ended before the request did. */
  request: HostileRequest | null;
  requestBytes: number;
  answerBytes: number;
}

/**
 * A peer that keeps to no rule: it speaks bytes, not HTTP. It sees everything that reaches it, and keeps count of what it was
 * given to do.
 */
export class HostilePeer {
  /** What it answers; the number is that of the request among those of its method, from 0. */
  answers: (request: HostileRequest, nth: number) => HostileAnswer;
  cut: Cut | null = null;
  /** The connection, from 1, that is dropped as soon as it stands. */
  dropped: number | null = null;
  readonly exchanges: Exchange[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #happened = new EventEmitter();
  connections = 0;

  private constructor(answers: HostilePeer["answers"]) {
    this.answers = answers;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  static async start(answers: HostilePeer["answers"], port = 0): Promise<HostilePeer> {
    const peer = new HostilePeer(answers);
    peer.#server.listen(port, "127.0.0.1");
    await once(peer.#server, "listening");
    return peer;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Posts that were begun: the one for the work, and what asks after it. A second prompt would be one of them. */
  get posts(): Exchange[] {
    return this.exchanges.filter(({ method }) => method === "POST");
  }

  /** Requests of a method that were complete. */
  calls(method: string): HostileRequest[] {
    return this.posts.flatMap(({ request }) => (request?.call?.method === method ? [request] : []));
  }

  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await once(this.#happened, "event");
  }

  /** Forgets what has happened. */
  clear(): void {
    this.cut = null;
    this.dropped = null;
    this.connections = 0;
    this.exchanges.length = 0;
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #serve(socket: Socket): void {
    this.connections += 1;
    if (this.connections === this.dropped) return void socket.resetAndDestroy();
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    // Whoever gives up on us may do so in any way.
    socket.on("error", () => {});
    let arrived = Buffer.alloc(0);
    let exchange: Exchange | null = null;
    let answering = Promise.resolve();
    socket.on("data", (bytes) => {
      arrived = Buffer.concat([arrived, bytes]);
      while (arrived.length > 0) {
        exchange ??= this.#begin(arrived);
        const request = parseRequest(arrived);
        exchange.requestBytes = request?.length ?? arrived.length;
        if (this.#isCut(exchange, "request", exchange.requestBytes)) return this.#drop(socket);
        this.#happened.emit("event");
        if (request === null) return;
        exchange.request = request;
        const [current, nth] = [exchange, this.#nth(exchange)];
        exchange = null;
        arrived = arrived.subarray(request.length);
        this.#happened.emit("event");
        answering = answering.then(() => this.#answer(socket, current, this.answers(request, nth)));
      }
    });
  }

  #begin(bytes: Buffer): Exchange {
    const method = bytes[0] === "G".charCodeAt(0) ? "GET" : "POST";
    const exchange: Exchange = { method, request: null, requestBytes: 0, answerBytes: 0 };
    this.exchanges.push(exchange);
    return exchange;
  }

  #nth(exchange: Exchange): number {
    return this.exchanges.filter(({ method }) => method === exchange.method).indexOf(exchange);
  }

  #isCut(exchange: Exchange, of: Cut["of"], bytes: number): boolean {
    const { cut } = this;
    return (
      cut !== null &&
      cut.of === of &&
      cut.method === exchange.method &&
      cut.nth === this.#nth(exchange) &&
      bytes >= cut.after
    );
  }

  #drop(socket: Socket): void {
    socket.pause();
    if (this.cut?.how === "reset") socket.resetAndDestroy();
    else socket.destroy();
    this.#happened.emit("event");
  }

  async #answer(socket: Socket, exchange: Exchange, answer: HostileAnswer): Promise<void> {
    const pieces = typeof answer === "string" || answer instanceof Uint8Array ? [answer] : answer;
    for await (const piece of pieces) {
      const bytes = typeof piece === "string" ? Buffer.from(piece, "utf8") : piece;
      const whole = exchange.answerBytes + bytes.length;
      const cut = this.#isCut(exchange, "answer", whole);
      const sent = cut ? bytes.subarray(0, (this.cut as Cut).after - exchange.answerBytes) : bytes;
      exchange.answerBytes += sent.length;
      if (socket.destroyed) return;
      const flushed = sent.length === 0 || socket.write(sent);
      this.#happened.emit("event");
      if (cut) return this.#leave(socket);
      if (!flushed) await Promise.race([once(socket, "drain"), once(socket, "close")]).catch(() => {});
    }
  }

  /** What was written is sent before the connection ends; a reset may overtake it, as it may anywhere. */
  #leave(socket: Socket): void {
    if (this.cut?.how === "reset") socket.write("", () => socket.resetAndDestroy());
    else socket.end();
    this.#happened.emit("event");
  }
}
