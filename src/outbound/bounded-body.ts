import type { Readable } from "node:stream";

/**
 * A body as a stream that reads no further ahead than its reader asks. `failed` turns whatever ends it early into the error that
 * the reader gets; `over` is called once, however it ends.
 */
export function boundedBody(
  body: Readable,
  maxBytes: number,
  { failed, tooLarge, over }: { failed(error: unknown): unknown; tooLarge(): unknown; over(): void },
): ReadableStream<Uint8Array> {
  // Destroying it is an error to it, which nobody has to hear of.
  body.on("error", () => {});
  const chunks = body[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  let bytes = 0;
  const stop = (controller: ReadableStreamDefaultController, error: unknown) => {
    controller.error(error);
    body.destroy();
    over();
  };
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await chunks.next();
          if (done) {
            controller.close();
            return over();
          }
          bytes += value.byteLength;
          if (bytes > maxBytes) return stop(controller, tooLarge());
          controller.enqueue(value);
        } catch (error) {
          stop(controller, failed(error));
        }
      },
      cancel() {
        body.destroy();
        over();
      },
    },
    { highWaterMark: 0 },
  );
}
