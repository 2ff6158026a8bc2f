import { harmlessLine } from "./harmless.js";
import type { Colors } from "./output.js";

/** The parts of a card that people look for. A card is somebody else's text. */
export function cardText(card: Record<string, unknown>, colors: Colors): string {
  const lines = [colors.bold(word(card.name) || "(no name)")];
  const described = word(card.description);
  if (described !== "") lines.push(described);
  const fact = (name: string, value: string) => value !== "" && lines.push(`${colors.dim(name.padEnd(11))} ${value}`);
  fact("version", word(card.version));
  fact("provider", word(field(card.provider, "organization")));
  for (const { version, binding, url, tenant } of interfacesOf(card)) {
    fact("interface", `${version} ${binding} ${url}${tenant === "" ? "" : ` (tenant ${tenant})`}`);
  }
  fact("offers", offersOf(card).join(", "));
  fact("accepts", Object.keys(object(card.securitySchemes)).map(word).join(", "));
  fact("signed", list(card.signatures).length === 0 ? "" : `${list(card.signatures).length} signatures, not verified`);
  for (const skill of list(card.skills).slice(0, MAX_SKILLS)) {
    const about = word(field(skill, "description"));
    fact("skill", `${word(field(skill, "name")) || word(field(skill, "id"))}${about === "" ? "" : `: ${about}`}`);
  }
  return lines.join("\n");
}

const MAX_SKILLS = 50;
const MAX_WORD = 500;

interface Shown {
  version: string;
  binding: string;
  url: string;
  tenant: string;
}

/** Those of 1.0, and those that only a client of 0.3 looks for. */
function interfacesOf(card: Record<string, unknown>): Shown[] {
  const shown = (given: unknown, version: unknown, binding: string): Shown => ({
    version: word(version),
    binding: word(field(given, binding)),
    url: word(field(given, "url")),
    tenant: word(field(given, "tenant")),
  });
  const v1 = list(card.supportedInterfaces).map((given) =>
    shown(given, field(given, "protocolVersion"), "protocolBinding"),
  );
  const main = typeof card.url === "string" ? [{ url: card.url, transport: card.preferredTransport ?? "JSONRPC" }] : [];
  const v03 = [...main, ...list(card.additionalInterfaces)].map((given) =>
    shown(given, card.protocolVersion, "transport"),
  );
  const all = [...v1, ...v03];
  const same = (a: Shown, b: Shown) =>
    a.url === b.url && a.binding === b.binding && short(a.version) === short(b.version);
  return all.filter((one, at) => all.findIndex((other) => same(one, other)) === at).slice(0, MAX_SKILLS);
}

const short = (version: string): string => version.split(".").slice(0, 2).join(".");

function offersOf(card: Record<string, unknown>): string[] {
  const { streaming, pushNotifications, extendedAgentCard } = object(card.capabilities);
  return [
    ...(streaming === true ? ["streams"] : []),
    ...(pushNotifications === true ? ["push notifications"] : []),
    ...(extendedAgentCard === true || card.supportsAuthenticatedExtendedCard === true ? ["an extended card"] : []),
  ];
}

function word(value: unknown): string {
  if (typeof value !== "string") return "";
  const line = harmlessLine(value);
  return line.length > MAX_WORD ? `${line.slice(0, MAX_WORD)}…` : line;
}

const object = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
const field = (value: unknown, name: string): unknown => object(value)[name];
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
