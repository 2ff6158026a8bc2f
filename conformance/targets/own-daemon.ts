import { connect } from "../../src/client/control-client.js";
import { controlSocketPath } from "../../src/shared/control-socket.js";
import { daemonDirectory, spawnDaemon } from "../../test/support/daemon/daemon-process.js";
import type { Patch } from "../wires/errors.js";
import { closeClients } from "../wires/grpc.js";
import type { Agent, Wire } from "../wires/wire.js";
import { DEVIATIONS } from "./deviations.js";
import { freePort } from "./free-port.js";
import { SCRIPT } from "./script.js";
import type { Target } from "./target.js";
import { startWebhooks } from "./webhooks.js";

/** A line of the log, of level error or above. */
const isFault = (line: string): boolean => line.startsWith("{") && JSON.parse(line).level >= 50;

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

export interface OwnDaemon extends Target {
  pid: number;
}

/** A daemon of our own, in a directory of its own, with agents that do what the table asks for. */
export async function startOwnDaemon(wires: readonly Wire[]): Promise<OwnDaemon> {
  const webhooks = await startWebhooks();
  const daemon = await startServer(webhooks.address);
  let older: Promise<Server> | undefined;
  let callers = 0;
  const stranger = daemon.newCaller("stranger");
  return {
    name: "a daemon of its own",
    pid: daemon.pid,
    wires,
    agent: daemon.agentOf("actor"),
    plain: daemon.agentOf("plain"),
    token: await daemon.newCaller("conformance"),
    stranger: () => stranger,
    newCaller: (scopes) => {
      callers += 1;
      return daemon.newCaller(`caller-${callers}`, scopes);
    },
    offers: new Set(["script", "another caller", "callers", "plain agent", "webhooks", "older answers", "promises"]),
    deviations: DEVIATIONS,
    webhooks,
    async older() {
      older ??= startServer(webhooks.address, "1.0.0");
      const server = await older;
      return { agent: { ...server.agentOf("actor"), patch: "1.0.0" }, token: await server.newCaller("conformance") };
    },
    async close() {
      closeClients();
      const servers = [daemon, ...(older === undefined ? [] : [await older])];
      const logged = await Promise.all(servers.map((server) => server.stop()));
      await webhooks.close();
      return logged.flat();
    },
  };
}

interface Server {
  pid: number;
  agentOf(name: string): Agent;
  newCaller(name: string, scopes?: string[]): Promise<string>;
  /** Resolves with the faults that it has logged. */
  stop(): Promise<string[]>;
}

async function startServer(webhook: string, compat?: Patch): Promise<Server> {
  const grpcPort = await freePort();
  const place = daemonDirectory({
    server: { port: 0, grpcPort },
    access: { anonymous: false },
    queue: { concurrency: 64 },
    outbound: { allow: [webhook] },
    // What a client of 0.3 reaches over gRPC, since it cannot say which agent it means.
    a2a: { defaultAgent: "actor", ...(compat === undefined ? {} : { compat }) },
    personas: PERSONAS,
  });
  const running = spawnDaemon(place.configFile);
  try {
    const url = await running.serving;
    const control = connect(controlSocketPath(place.dataDir));
    return {
      pid: running.process.pid as number,
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
        const { stderr } = await running.exited;
        place.remove();
        return stderr.split("\n").filter(isFault);
      },
    };
  } catch (error) {
    running.process.kill("SIGKILL");
    place.remove();
    throw error;
  }
}
