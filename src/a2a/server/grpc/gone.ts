import type { ServerUnaryCall, ServerWritableStream } from "@grpc/grpc-js";

/** Messages travel as the bytes that they are: what is in one is none of the business of grpc-js. */
export type Call = ServerUnaryCall<Buffer, Buffer> | ServerWritableStream<Buffer, Buffer>;

// cspell:disable: what grpc-js calls it.
/** Nobody waits for the answer any more: the client has given up, its deadline has passed, or its connection is lost. */
export const isGone = (call: Call): boolean => call.cancelled;

/** Calls `listener` when that comes to be; also when the call has been answered, which is then no news. */
export function onGone(call: Call, listener: () => void): void {
  call.on("cancelled", listener);
}
