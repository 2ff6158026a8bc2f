// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
type AnyJson = any;

export interface RestReply {
  status: number;
  headers: Headers;
  text: string;
  json: AnyJson;
}

/** One call of the HTTP+JSON binding, with the headers and body that a test wants. */
export async function rest(
  method: string,
  url: string,
  { body, headers = {} }: { body?: unknown; headers?: Record<string, string | undefined> } = {},
): Promise<RestReply> {
  const sent: Record<string, string> = body === undefined ? {} : { "content-type": "application/a2a+json" };
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) delete sent[name];
    else sent[name] = value;
  }
  const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  const response = await fetch(url, { method, headers: sent, ...(text === undefined ? {} : { body: text }) });
  const said = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text: said,
    json: /^[[{]/.test(said) ? JSON.parse(said) : undefined,
  };
}
