/** A request as it stood on the wire. */
export interface HostileRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string;
  /** Of JSON-RPC; null for anything else. */
  call: { id: string; method: string; params: Record<string, unknown> } | null;
  /** Bytes of the whole. */
  length: number;
}

/** The request at the beginning of `bytes`; null while it is not complete. */
export function parseRequest(bytes: Buffer): HostileRequest | null {
  const end = bytes.indexOf("\r\n\r\n");
  if (end === -1) return null;
  const [first = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  const [method = "", path = ""] = first.split(" ");
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const length = end + 4 + Number(headers["content-length"] ?? 0);
  if (bytes.length < length) return null;
  const body = bytes.subarray(end + 4, length).toString("utf8");
  return { method, path, headers, body, call: body === "" ? null : JSON.parse(body), length };
}
