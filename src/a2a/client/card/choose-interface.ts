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
export function chooseInterface(card: RemoteCard): ChosenInterface {
  const [first] = spokenInterfaces(card);
  if (first !== undefined) return first;
  const { interfaces } = card;
  throw agentError("unsupported", "the agent's card names no interface that is spoken here", {
    reason: "AGENT_INTERFACE_UNSUPPORTED",
    hint: `spoken are 1.0 over JSONRPC and HTTP+JSON, and 0.3 over JSONRPC; the card has ${named(interfaces)}`,
  });
}

/** All that we could speak to, the one that we would choose first. */
export const spokenInterfaces = ({ interfaces }: RemoteCard): ChosenInterface[] =>
  SPOKEN.flatMap(({ version, is, bindings }) =>
    interfaces.flatMap(({ url, binding, version: said, tenant }) => {
      const spoken = bindings.find((known) => known === binding);
      return spoken !== undefined && is.test(said) && URL.canParse(url)
        ? [{ url, binding: spoken, version, tenant }]
        : [];
    }),
  );

const named = (interfaces: readonly AgentInterface[]): string =>
  interfaces.length === 0
    ? "none"
    : interfaces
        .slice(0, 5)
        .map(({ binding, version }) => JSON.stringify(`${version} ${binding}`.slice(0, 40)))
        .join(", ");
