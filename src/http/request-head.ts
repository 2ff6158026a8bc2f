import type { IncomingMessage } from "node:http";

/** The header `A2A-Version`, or the query parameter of the same name (A2A 1.0, 3.6.1). */
export function askedVersion(request: IncomingMessage): string | undefined {
  const header = request.headers["a2a-version"];
  if (header !== undefined) return typeof header === "string" ? header : header.join(",");
  const target = request.url as string;
  if (!target.includes("?")) return undefined;
  const asked = queryOf(target).getAll("A2A-Version");
  return asked.length === 0 ? undefined : asked.join(",");
}

/** @param target of a request: a path, and maybe a query */
export function queryOf(target: string): URLSearchParams {
  const query = target.indexOf("?");
  return new URLSearchParams(query < 0 ? "" : target.slice(query));
}

export function lastEventId({ headers }: IncomingMessage): string | undefined {
  const header = headers["last-event-id"];
  return typeof header === "string" ? header : header?.[0];
}
