import { deviates } from "../deviation.js";
import type { Json } from "../shapes/check.js";
import type { Need } from "../table/case.js";
import { closeClients } from "../wires/grpc.js";
import { http } from "../wires/http.js";
import { parse } from "../wires/http-stream.js";
import type { Agent, Wire } from "../wires/wire.js";
import type { Target } from "./target.js";

export interface RemoteOptions {
  /** Base URL of the agent. */
  url: string;
  token: string;
  otherToken: string | undefined;
  script: boolean;
}

interface Interface {
  url: string;
  protocolBinding: string;
  protocolVersion: string;
  tenant?: string;
}

/** A server of somebody else's: what it speaks, and where, is what its card says. */
export async function remoteTarget(wires: readonly Wire[], options: RemoteOptions): Promise<Target> {
  const base = options.url.replace(/\/+$/, "");
  const reply = await http(`${base}/.well-known/agent-card.json`, { method: "GET", headers: { "a2a-version": "1.0" } });
  if (reply.facts.status !== 200) deviates("card", `${base}/.well-known/agent-card.json answers ${reply.facts.status}`);
  const card = parse(await reply.text()) as Json;
  const declared = interfacesOf(card);
  const spoken = wires.filter(({ binding, version }) =>
    declared.some((one) => one.protocolBinding === binding && one.protocolVersion.startsWith(version)),
  );
  const offers = new Set<Need>();
  if (options.script) offers.add("script");
  if (options.otherToken !== undefined) offers.add("another caller");
  return {
    name: String(card.name ?? base),
    wires: spoken,
    agent: agentOf(base, String(card.name), declared),
    token: options.token,
    ...(options.otherToken === undefined ? {} : { stranger: async () => options.otherToken as string }),
    offers,
    async close() {
      closeClients();
      return [];
    },
  };
}

/** Those of 1.0, and those that a card of 0.3 has. */
function interfacesOf(card: Json): Interface[] {
  const declared = [...((card.supportedInterfaces ?? []) as Interface[])];
  if (typeof card.url === "string") {
    const others = (card.additionalInterfaces ?? []) as { url: string; transport: string }[];
    for (const { url, transport } of [
      { url: card.url, transport: String(card.preferredTransport ?? "JSONRPC") },
      ...others,
    ]) {
      declared.push({ url, protocolBinding: transport, protocolVersion: "0.3" });
    }
  }
  return declared;
}

function agentOf(base: string, name: string, declared: readonly Interface[]): Agent {
  const grpc = declared.find(({ protocolBinding }) => protocolBinding === "GRPC");
  const web = declared.find(({ protocolBinding }) => protocolBinding !== "GRPC");
  return {
    name,
    base: web?.url.replace(/\/+$/, "") ?? base,
    ...(grpc === undefined ? {} : { grpc: grpc.url.replace(/^[a-z]+:\/\//, "") }),
    ...(grpc?.tenant === undefined ? {} : { grpcTenant: grpc.tenant }),
  };
}
