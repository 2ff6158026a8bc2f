import type { AgentInterface, RemoteCard } from "../a2a/client/card/card.js";

/** What is spoken with a peer: 1.0 over JSON-RPC, at exactly the endpoint. There is no other to fall back to. */
export const spokenInterfaces = ({ interfaces }: Pick<RemoteCard, "interfaces">, endpoint: string): AgentInterface[] =>
  interfaces.filter(
    ({ url, binding, version }) =>
      binding === "JSONRPC" && /^1\.0(\.\d{1,5})?$/.test(version) && sameUrl(url, endpoint),
  );

const sameUrl = (a: string, b: string): boolean =>
  URL.canParse(a) && URL.canParse(b) && new URL(a).href === new URL(b).href;
