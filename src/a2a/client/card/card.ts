import type { JsonObject } from "../../../shared/json.js";
import * as check from "../../protocol/check.js";
import { LIMITS } from "../../protocol/limits.js";
import { MAX_ITEMS } from "../bounds.js";
import { answered } from "../versions/read.js";

/** One way to reach an agent, as its card says (A2A 1.0, 4.4.6; 0.3, 5.6). */
export interface AgentInterface {
  url: string;
  /** `JSONRPC`, `HTTP+JSON`, `GRPC`, or what somebody has made up. */
  binding: string;
  /** As the card spells it, e.g. `1.0` or `0.3.0`. */
  version: string;
  /** Goes into every request (1.0). */
  tenant: string | null;
}

/** What we need to know of a card. None of it is verified. */
export interface RemoteCard {
  name: string;
  description: string;
  streaming: boolean;
  /** Those of 1.0 first, each version in the order of the card. */
  interfaces: AgentInterface[];
  /** The card itself. */
  document: JsonObject;
}

const MAX_INTERFACES = 64;

/**
 * Reads a card of 1.0, of 0.3, or one that is both.
 *
 * @throws NuncioError `unavailable`, reason AGENT_ANSWER_INVALID
 */
export function readCard(value: unknown): RemoteCard {
  return answered(() => {
    const document = check.optionalStruct(check.object(value, "card"), "card") as JsonObject;
    const capabilities = check.optionalObject(document.capabilities, "card.capabilities");
    return {
      name: check.optionalLabel(document.name, "card.name", MAX_ITEMS) ?? "",
      description: check.optionalLabel(document.description, "card.description", MAX_ITEMS * 10) ?? "",
      streaming: capabilities?.streaming === true,
      interfaces: [...interfacesV1(document), ...interfacesV03(document)],
      document,
    };
  });
}

function interfacesV1(card: JsonObject): AgentInterface[] {
  return listed(card.supportedInterfaces).map((item, at) => {
    const field = `card.supportedInterfaces[${at}]`;
    const given = check.object(item, field);
    return {
      url: urlIn(given.url, `${field}.url`),
      binding: check.text(given.protocolBinding, `${field}.protocolBinding`),
      version: check.optionalLabel(given.protocolVersion, `${field}.protocolVersion`) ?? "1.0",
      tenant: check.optionalLabel(given.tenant, `${field}.tenant`) ?? null,
    };
  });
}

/** The main URL has the preferred transport, and may be named again (0.3, 5.6.3). */
function interfacesV03(card: JsonObject): AgentInterface[] {
  if (card.url === undefined || card.url === null || card.url === "") return [];
  const version = check.optionalLabel(card.protocolVersion, "card.protocolVersion") ?? "0.3";
  const main = {
    url: urlIn(card.url, "card.url"),
    binding: check.optionalLabel(card.preferredTransport, "card.preferredTransport") ?? "JSONRPC",
    version,
    tenant: null,
  };
  const others = listed(card.additionalInterfaces).map((item, at) => {
    const field = `card.additionalInterfaces[${at}]`;
    const given = check.object(item, field);
    const binding = check.text(given.transport, `${field}.transport`);
    return { url: urlIn(given.url, `${field}.url`), binding, version, tenant: null };
  });
  return [main, ...others];
}

/** Not longer than one that can be opened: a page of slashes would keep us busy for minutes. */
const urlIn = (value: unknown, field: string): string =>
  check.optionalLabel(value, field, LIMITS.uriLength) ?? check.text(value, field);

const listed = (value: unknown): unknown[] => (Array.isArray(value) ? value.slice(0, MAX_INTERFACES) : []);
