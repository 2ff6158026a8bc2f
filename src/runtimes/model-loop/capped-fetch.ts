/** How many bytes one answer of a provider may have, its framing included. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

/**
 * `fetch` for endpoints that the operator has configured: it follows no redirect, which would carry the key elsewhere,
 * and reads no more than `maxBytes` of an answer.
 */
export function cappedFetch(fetch: typeof globalThis.fetch, maxBytes = MAX_ANSWER_BYTES): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, { ...init, redirect: "manual" });
    if (response.body === null) return response;
    let bytes = 0;
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        bytes += chunk.byteLength;
        if (bytes > maxBytes) controller.error(new Error(`the answer has more than ${maxBytes} bytes`));
        else controller.enqueue(chunk);
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(counted), { status, statusText, headers });
  };
}
