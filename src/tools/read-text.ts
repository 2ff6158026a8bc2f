const TEXTUAL = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|yaml|javascript|x-www-form-urlencoded)\b)/i;

/**
 * The body of an answer as text: at most `maxBytes` of it, and no byte more is read. Null when it is not text by its
 * content type, or holds what no text holds.
 */
export async function readText(answer: Response, maxBytes: number): Promise<{ text: string; cut: boolean } | null> {
  const type = answer.headers.get("content-type");
  if (answer.body === null) return { text: "", cut: false };
  if (type !== null && !TEXTUAL.test(type)) {
    await answer.body.cancel();
    return null;
  }
  const { bytes, cut } = await firstBytes(answer.body, maxBytes);
  const text = decoderFor(type).decode(bytes);
  return text.includes("\u0000") ? null : { text: cut ? text.replace(/\ufffd$/, "") : text, cut };
}

async function firstBytes(body: ReadableStream<Uint8Array>, maxBytes: number) {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop early cancels the stream, and with it the connection.
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.byteLength;
    if (length > maxBytes) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), cut: length > maxBytes };
}

/** By the charset that the server names; UTF-8 where it names none, or none that is known. */
function decoderFor(type: string | null): { decode(bytes: Uint8Array): string } {
  const charset = /;\s*charset="?([\w.:-]{1,40})/i.exec(type ?? "")?.[1];
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder();
  }
}
