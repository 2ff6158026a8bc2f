import type { ProtocolVersion } from "../../protocol/version.js";
import { agentError } from "../errors.js";
import type { AgentInterface, RemoteCard } from "./card.js";

/** An interface that we speak. */
export interface ChosenInterface {
  url: string;
  binding: "JSONRPC" | "HTTP+JSON";
  version: ProtocolVersion;
  tenant: string | null;
}

/** 1.0 before 0.3; within a version the order of the card decides (A2A 1.0, 8.3.2). */
const SPOKEN: readonly { version: ProtocolVersion; is: RegExp; bindings: readonly ChosenInterface["binding"][] }[] = [
  { version: "1.0", is: /^1\.\d{1,3}(\.\d{1,5})?$/, bindings: ["JSONRPC", "HTTP+JSON"] },
  { version: "0.3", is: /^0\.[23](\.\d{1,5})?$/, bindings: ["JSONRPC"] },
];

/** @throws NuncioError `unsupported`, reason AGENT_INTERFACE_UNSUPPORTED */
export function chooseInterface({ interfaces }: RemoteCard): ChosenInterface {
  for (const { version, is, bindings } of SPOKEN) {
    for (const { url, binding, version: said, tenant } of interfaces) {
      const spoken = bindings.find((known) => known === binding);
      if (spoken !== undefined && is.test(said) && URL.canParse(url)) return { url, binding: spoken, version, tenant };
    }
  }
  throw agentError("unsupported", "the agent's card names no interface that is spoken here", {
    reason: "AGENT_INTERFACE_UNSUPPORTED",
    hint: `spoken are 1.0 over JSONRPC and HTTP+JSON, and 0.3 over JSONRPC; the card has ${named(interfaces)}`,
  });
}

const named = (interfaces: readonly AgentInterface[]): string =>
  interfaces.length === 0
    ? "none"
    : interfaces
        .slice(0, 5)
        .map(({ binding, version }) => JSON.stringify(`${version} ${binding}`.slice(0, 40)))
        .join(", ");
