import type { Json } from "../shapes/check.js";
import { http } from "../wires/http.js";
import { parse } from "../wires/http-stream.js";
import type { Facts } from "../wires/wire.js";
import type { Talk } from "./talk.js";

/** The public card of the agent, as a client of this version fetches it. */
export async function publicCard(
  talk: Talk,
  headers: Record<string, string | undefined> = {},
): Promise<{ card: Json; text: string; facts: Facts }> {
  const { base } = talk.options.agent;
  const version = talk.wire.version === "1.0" ? { "a2a-version": "1.0" } : {};
  const reply = await http(`${base}/.well-known/agent-card.json`, {
    method: "GET",
    headers: { ...version, ...headers },
  });
  const text = await reply.text();
  return { card: text === "" ? {} : (parse(text) as Json), text, facts: reply.facts };
}

/** URIs of the extensions that the public card declares. */
export async function declaredExtensions(talk: Talk): Promise<string[]> {
  const { card } = await publicCard(talk);
  const { extensions = [] } = card.capabilities as { extensions?: { uri: string }[] };
  return extensions.map(({ uri }) => uri);
}
