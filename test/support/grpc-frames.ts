import { type ClientHttp2Session, type ClientHttp2Stream, connect, type IncomingHttpHeaders } from "node:http2";

/** gRPC as it is on the wire, for clients that do not behave. */
export class FrameClient {
  readonly session: ClientHttp2Session;

  constructor(address: string) {
    this.session = connect(`http://${address}`);
    // Of a server that has had enough.
    this.session.on("error", () => {});
  }

  /** The head of a call; what follows is for the test to write. */
  open(path: string, headers: Record<string, string> = {}): FrameCall {
    return new FrameCall(
      this.session.request({
        ":method": "POST",
        ":path": path,
        "content-type": "application/grpc",
        te: "trailers",
        ...headers,
      }),
    );
  }

  close(): void {
    this.session.destroy();
  }
}

export class FrameCall {
  readonly stream: ClientHttp2Stream;
  /** The `grpc-status` and `grpc-message` of its end; an empty one where there was none. */
  readonly ended: Promise<{ status: string; message: string; headers: IncomingHttpHeaders }>;

  constructor(stream: ClientHttp2Stream) {
    this.stream = stream;
    stream.on("error", () => {});
    let last: IncomingHttpHeaders = {};
    const keep = (headers: IncomingHttpHeaders) => {
      last = { ...last, ...headers };
    };
    stream.on("response", keep);
    stream.on("trailers", keep);
    this.ended = new Promise((resolve) => {
      stream.on("close", () =>
        resolve({
          status: String(last["grpc-status"] ?? ""),
          message: decodeURI(String(last["grpc-message"] ?? "")),
          headers: last,
        }),
      );
    });
  }

  /** Reads what is sent, so that the end comes. */
  read(): this {
    this.stream.resume();
    return this;
  }
}

/** A message as gRPC frames it. */
export function framed(message: Uint8Array, compressed = false): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(compressed ? 1 : 0, 0);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}
