import { connect } from "../../src/client/control-client.js";
import { controlSocketPath } from "../../src/shared/control-socket.js";
import { daemonDirectory, spawnDaemon } from "../../test/support/daemon/daemon-process.js";
import type { Patch } from "../wires/errors.js";
import { closeClients } from "../wires/grpc.js";
import type { Agent, Wire } from "../wires/wire.js";
import { freePort } from "./free-port.js";
import { SCRIPT } from "./script.js";
import type { Target } from "./target.js";
import { startWebhooks } from "./webhooks.js";

const PERSONAS = [
  {
    name: "actor",
    description: "Does what the conformance suite tells it to",
    visibility: "public",
    runtime: "scripted",
    maxConcurrent: 64,
    script: SCRIPT,
  },
  {
    name: "plain",
    description: "Offers as little as it may",
    visibility: "public",
    runtime: "scripted",
    maxConcurrent: 16,
    streaming: false,
    push: false,
    extendedCard: false,
    followUps: false,
    script: SCRIPT,
  },
];

/** A daemon of our own, in a directory of its own, with agents that do what the table asks for. */
export async function startOwnDaemon(wires: readonly Wire[]): Promise<Target> {
  const webhooks = await startWebhooks();
  const daemon = await startServer(webhooks.address);
  let older: Promise<Server> | undefined;
  let callers = 0;
  return {
    name: "a daemon of its own",
    wires,
    agent: daemon.agentOf("actor"),
    plain: daemon.agentOf("plain"),
    token: await daemon.newCaller("conformance"),
    newCaller: (scopes) => {
      callers += 1;
      return daemon.newCaller(`caller-${callers}`, scopes);
    },
    offers: new Set(["script", "callers", "plain agent", "webhooks", "older answers", "promises"]),
    webhooks,
    async older() {
      older ??= startServer(webhooks.address, "1.0.0");
      const server = await older;
      return { agent: { ...server.agentOf("actor"), patch: "1.0.0" }, token: await server.newCaller("conformance") };
    },
    async close() {
      closeClients();
      await Promise.all([daemon.stop(), older?.then((server) => server.stop()), webhooks.close()]);
    },
  };
}

interface Server {
  agentOf(name: string): Agent;
  newCaller(name: string, scopes?: string[]): Promise<string>;
  stop(): Promise<void>;
}

async function startServer(webhook: string, compat?: Patch): Promise<Server> {
  const grpcPort = await freePort();
  const place = daemonDirectory({
    server: { port: 0, grpcPort },
    access: { anonymous: false },
    queue: { concurrency: 64 },
    outbound: { allow: [webhook] },
    ...(compat === undefined ? {} : { a2a: { compat } }),
    personas: PERSONAS,
  });
  const running = spawnDaemon(place.configFile);
  try {
    const url = await running.serving;
    const control = connect(controlSocketPath(place.dataDir));
    return {
      agentOf: (name) => ({
        name,
        base: `${url}/v1/agents/${name}/a2a`,
        grpc: `127.0.0.1:${grpcPort}`,
        grpcTenant: `default/${name}`,
        grpcMetadata: { "x-nuncio-agent": name },
      }),
      newCaller: async (name, scopes) => (await control.createKey({ name, scopes })).key,
      async stop() {
        running.process.kill("SIGTERM");
        await running.exited;
        place.remove();
      },
    };
  } catch (error) {
    running.process.kill("SIGKILL");
    place.remove();
    throw error;
  }
}
