import { createHash } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Tell } from "./peer-event.js";
import { type PeerArtifact, PeerTask } from "./peer-task.js";
import { connectionOf, portOf, startTappedServer } from "./tapped-server.js";

/** What is peculiar to a peer, as far as somebody at the other end of the wire can tell. */
export interface Traits {
  name: string;
  /** Anybody may read the card. */
  publicCard: boolean;
  /** Refuses requests that do not name the version. */
  wantsVersion: boolean;
  cancels: boolean;
  /** Has SubscribeToTask, until the end of the task. */
  streams: boolean;
  /** How an artifact is shown; each time it is. */
  render(artifact: PeerArtifact): PeerArtifact;
}

/**
 * What becomes of the work: `finish` ends it at once, `hold` works on until it is told, `ask` and `auth` stop with a
 * question, `fail` fails, `refuse` takes no work.
 */
export const MANNERS = ["finish", "hold", "ask", "auth", "fail", "refuse"] as const;
export type Manner = (typeof MANNERS)[number];

/** A peer on the wire: A2A 1.0 over JSON-RPC. Each message that comes in without a task makes one: it forgives no repetition. */
export class NamedPeer {
  manner: Manner = "finish";
  readonly #traits: Traits;
  readonly #token: string;
  readonly #tenant: string | null;
  readonly #tell: Tell;
  readonly #tasks = new Map<string, PeerTask>();
  #server: Server | undefined;

  constructor(traits: Traits, { token, tenant, tell }: { token: string; tenant: string | null; tell: Tell }) {
    this.#traits = traits;
    this.#token = token;
    this.#tenant = tenant;
    this.#tell = tell;
  }

  async listen(port: number): Promise<void> {
    this.#server = await startTappedServer(port, this.#tell, (request, response) => {
      this.#answer(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
  }

  /** Ends the work that is held. */
  finishHeld(): void {
    for (const task of this.#tasks.values()) if (!task.settled) this.#finish(task);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await bodyOf(request);
    const authenticated = request.headers.authorization === `Bearer ${this.#token}`;
    const call = request.method === "POST" ? callIn(text) : null;
    this.#tell({
      type: "request",
      connection: connectionOf(request.socket),
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers,
      call: call && { method: call.method, params: call.params },
      authenticated,
    });
    const json = (status: number, body: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    const isCard = request.method === "GET" && request.url === "/.well-known/agent-card.json";
    if (!authenticated && !(isCard && this.#traits.publicCard)) return void json(401, { error: "who are you?" });
    if (isCard) return void json(200, this.card());
    if (call === null || request.url !== "/a2a") return void json(404, { error: "there is nothing here" });
    const answered = (outcome: object) => json(200, { jsonrpc: "2.0", id: call.id, ...outcome });
    if (this.#traits.wantsVersion && request.headers["a2a-version"] !== "1.0") {
      return void answered({ error: { code: -32009, message: "version not supported" } });
    }
    if ((call.params.tenant ?? null) !== this.#tenant) {
      return void answered({ error: { code: -32602, message: "another tenant" } });
    }
    try {
      if (call.method === "SubscribeToTask") await this.#subscribe(call, response);
      else answered({ result: await this.#call(call) });
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      answered({ error: { code: error.code, message: error.message } });
    }
  }

  card(): Record<string, unknown> {
    const base = `http://127.0.0.1:${portOf(this.#server as Server)}`;
    const main = { url: `${base}/a2a`, protocolBinding: "JSONRPC", protocolVersion: "1.0" };
    return {
      name: this.#traits.name,
      description: "Reads what it is given, and says what it thinks of it",
      version: "1",
      supportedInterfaces: [{ ...main, ...(this.#tenant !== null && { tenant: this.#tenant }) }],
      capabilities: { streaming: this.#traits.streams, pushNotifications: false },
      securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: "Bearer" } } },
      securityRequirements: [{ schemes: { bearer: { list: [] } } }],
      defaultInputModes: ["text/plain", "application/json"],
      defaultOutputModes: ["text/plain", "application/json"],
      skills: [{ id: "review", name: "Review", description: "Reviews source code", tags: ["review"] }],
    };
  }

  async #call({ method, params }: Call): Promise<unknown> {
    if (method === "SendMessage") return this.#send(params);
    if (method === "GetTask") return this.#show(this.#task(params.id));
    if (method === "CancelTask") {
      const task = this.#task(params.id);
      if (!this.#traits.cancels) throw new RpcError(-32004, "this agent cannot cancel");
      if (task.ended) throw new RpcError(-32002, "it has ended");
      task.move("TASK_STATE_CANCELED");
      return this.#show(task);
    }
    throw new RpcError(-32601, "no such method");
  }

  async #send(params: Call["params"]): Promise<unknown> {
    const message = params.message as Record<string, unknown>;
    if (this.manner === "refuse") throw new RpcError(-32602, "not this");
    const known = message.taskId === undefined ? null : this.#task(message.taskId);
    if (known?.ended) throw new RpcError(-32004, "it has ended");
    const task = known ?? new PeerTask();
    this.#tasks.set(task.id, task);
    task.history.push(message);
    task.move("TASK_STATE_WORKING");
    // A held task that is spoken to again has what it asked for.
    if (this.manner === "finish" || (known !== null && this.manner !== "hold")) this.#finish(task);
    else if (this.manner === "ask") task.move("TASK_STATE_INPUT_REQUIRED", "Which branch?");
    else if (this.manner === "auth") task.move("TASK_STATE_AUTH_REQUIRED", "Log in at http://127.0.0.1:9/login");
    else if (this.manner === "fail") task.move("TASK_STATE_FAILED", "It cannot be read");
    const { returnImmediately } = (params.configuration ?? {}) as { returnImmediately?: boolean };
    if (returnImmediately !== true) await task.untilSettled();
    return { task: this.#show(task) };
  }

  #finish(task: PeerTask): void {
    const parts = task.history.flatMap(({ parts }) => parts as unknown[]);
    const digest = createHash("sha256").update(JSON.stringify(parts)).digest("hex");
    task.artifacts = [
      {
        artifactId: "analysis",
        name: "analysis",
        parts: [{ text: "Nothing to complain about, " }, { text: "really." }],
      },
      { artifactId: "facts", name: "facts", parts: [{ data: { parts: parts.length, digest } }] },
    ];
    task.move("TASK_STATE_COMPLETED");
  }

  #show(task: PeerTask): Record<string, unknown> {
    const artifacts = task.artifacts.map((artifact) => this.#traits.render(artifact));
    return { id: task.id, contextId: task.contextId, status: task.status(), artifacts, history: task.history };
  }

  #task(id: unknown): PeerTask {
    const task = this.#tasks.get(String(id));
    if (task === undefined) throw new RpcError(-32001, "no such task");
    return task;
  }

  /** The task as it is, then what comes of it, until it has ended. */
  async #subscribe({ id, params }: Call, response: ServerResponse): Promise<void> {
    if (!this.#traits.streams) throw new RpcError(-32004, "this agent does not stream");
    const task = this.#task(params.id);
    if (task.ended) throw new RpcError(-32004, "it has ended");
    response.writeHead(200, { "content-type": "text/event-stream" });
    const event = (result: object) => response.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`);
    const ids = { taskId: task.id, contextId: task.contextId };
    event({ task: this.#show(task) });
    // What is said in passing is another text than the one that counts.
    event({ artifactUpdate: { ...ids, artifact: { artifactId: "draft", parts: [{ text: "A first thought" }] } } });
    await task.untilSettled();
    for (const artifact of task.artifacts)
      event({ artifactUpdate: { ...ids, artifact: this.#traits.render(artifact) } });
    event({ statusUpdate: { ...ids, status: task.status() } });
    response.end();
  }
}

interface Call {
  id: unknown;
  method: string;
  params: Record<string, unknown>;
}

class RpcError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

function callIn(text: string): Call | null {
  try {
    const { id, method, params } = JSON.parse(text);
    return typeof method === "string" ? { id, method, params: params ?? {} } : null;
  } catch {
    return null;
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces).toString("utf8");
}
