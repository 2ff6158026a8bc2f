import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import * as v1 from "@a2a-js/sdk";
import * as v1Server from "@a2a-js/sdk/server";
import * as v1Express from "@a2a-js/sdk/server/express";
import type * as v03 from "a2a-sdk-0-3";
import * as v03Server from "a2a-sdk-0-3/server";
import * as v03Express from "a2a-sdk-0-3/server/express";
// @ts-expect-error It brings no types along.
import express from "express";

/** As much of express as is used here. */
type App = { use(path: string, handler: unknown): void };

/** An agent of somebody else, on the official SDK's server. */
export interface ForeignAgent {
  /** Base URL, beside which its card is. */
  url: string;
  /** Headers of what it was asked, without the card. */
  asked: IncomingHttpHeaders[];
  stop(): Promise<void>;
}

export type ForeignBinding = "1.0 JSONRPC" | "1.0 HTTP+JSON" | "0.3 JSONRPC";

/**
 * What it does with a text: `bare …` is answered with a message; `ask` stops to ask, and a follow-up completes; `hang`
 * works until it is canceled; `fail` fails; anything else becomes the artifact `echo`, in two chunks.
 */
export async function startForeignAgent(binding: ForeignBinding, { streaming = true } = {}): Promise<ForeignAgent> {
  const asked: IncomingHttpHeaders[] = [];
  const app = express() as App & RequestListener;
  const server = createServer(app);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/agent`;
  app.use("/agent/rpc", (request: IncomingMessage, _response: unknown, next: () => void) => {
    asked.push(request.headers);
    next();
  });
  if (binding === "0.3 JSONRPC") serveV03(app, url, streaming);
  else serveV1(app, url, binding === "1.0 JSONRPC" ? "JSONRPC" : "HTTP+JSON", streaming);
  return {
    url,
    asked,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

function serveV1(app: App, url: string, protocolBinding: string, streaming: boolean): void {
  const card = v1.AgentCard.fromJSON({
    name: "foreign",
    description: "An agent of somebody else",
    version: "1.0.0",
    supportedInterfaces: [{ url: `${url}/rpc`, protocolBinding, protocolVersion: "1.0" }],
    capabilities: { streaming },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [],
  });
  const told = (bus: v1Server.ExecutionEventBus) => ({
    task: (json: object) => bus.publish(v1Server.AgentEvent.task(v1.Task.fromJSON(json))),
    message: (json: object) => bus.publish(v1Server.AgentEvent.message(v1.Message.fromJSON(json))),
    status: (json: object) => bus.publish(v1Server.AgentEvent.statusUpdate(v1.TaskStatusUpdateEvent.fromJSON(json))),
    artifact: (json: object) =>
      bus.publish(v1Server.AgentEvent.artifactUpdate(v1.TaskArtifactUpdateEvent.fromJSON(json))),
  });
  const requestHandler = new v1Server.DefaultRequestHandler(card, new v1Server.InMemoryTaskStore(), {
    async execute({ userMessage, taskId, contextId, task }, bus) {
      const tell = told(bus);
      const { content } = userMessage.parts[0] ?? {};
      const text = content?.$case === "text" ? content.value : "";
      const ids = { taskId, contextId };
      const say = (words: string) => ({
        messageId: `say-${taskId}`,
        role: "ROLE_AGENT",
        parts: [{ text: words }],
        ...ids,
      });
      if (text.startsWith("bare")) {
        tell.message({ messageId: "bare", role: "ROLE_AGENT", parts: [{ text: `just ${text}` }], contextId });
        return bus.finished();
      }
      if (task !== undefined) bus.publish(v1Server.AgentEvent.task(task));
      else {
        tell.task({
          id: taskId,
          contextId,
          status: { state: "TASK_STATE_SUBMITTED" },
          history: [v1.Message.toJSON(userMessage)],
        });
      }
      const status = (state: string, words?: string) =>
        tell.status({ ...ids, status: { state: `TASK_STATE_${state}`, ...(words && { message: say(words) }) } });
      status("WORKING", "on it");
      if (text === "hang") return;
      if (text === "ask") status("INPUT_REQUIRED", "which one?");
      else if (text === "fail") status("FAILED", "it went wrong");
      else {
        const chunk = (words: string, append: boolean) =>
          tell.artifact({
            ...ids,
            artifact: { artifactId: "echo", parts: [{ text: words }] },
            append,
            lastChunk: append,
          });
        chunk("echo: ", false);
        chunk(text, true);
        status("COMPLETED");
      }
      bus.finished();
    },
    async cancelTask(taskId, bus) {
      told(bus).status({ taskId, contextId: "", status: { state: "TASK_STATE_CANCELED" } });
      bus.finished();
    },
  });
  const userBuilder = v1Express.UserBuilder.noAuthentication;
  app.use("/agent/.well-known/agent-card.json", v1Express.agentCardHandler({ agentCardProvider: requestHandler }));
  const handler = protocolBinding === "JSONRPC" ? v1Express.jsonRpcHandler : v1Express.restHandler;
  app.use("/agent/rpc", handler({ requestHandler, userBuilder }));
}

function serveV03(app: App, url: string, streaming: boolean): void {
  const card: v03.AgentCard = {
    name: "foreign",
    description: "An agent of somebody else",
    version: "0.3.0",
    protocolVersion: "0.3.0",
    url: `${url}/rpc`,
    capabilities: { streaming },
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [],
  };
  const requestHandler = new v03Server.DefaultRequestHandler(card, new v03Server.InMemoryTaskStore(), {
    async execute({ userMessage, taskId, contextId, task }, bus) {
      const [part] = userMessage.parts;
      const text = part?.kind === "text" ? part.text : "";
      const say = (words: string): v03.Message => ({
        ...{ kind: "message", messageId: `say-${taskId}`, role: "agent", contextId },
        parts: [{ kind: "text", text: words }],
      });
      if (text.startsWith("bare")) {
        bus.publish(say(`just ${text}`));
        return bus.finished();
      }
      if (task === undefined) {
        bus.publish({ kind: "task", id: taskId, contextId, status: { state: "submitted" }, history: [userMessage] });
      }
      const status = (state: v03.TaskState, final: boolean, words?: string) =>
        bus.publish({
          ...{ kind: "status-update", taskId, contextId, final },
          status: { state, ...(words !== undefined && { message: say(words) }) },
        });
      status("working", false, "on it");
      if (text === "hang") return;
      if (text === "ask") status("input-required", true, "which one?");
      else if (text === "fail") status("failed", true, "it went wrong");
      else {
        const chunk = (words: string, append: boolean) =>
          bus.publish({
            ...{ kind: "artifact-update", taskId, contextId, append, lastChunk: append },
            artifact: { artifactId: "echo", parts: [{ kind: "text", text: words }] },
          });
        chunk("echo: ", false);
        chunk(text, true);
        status("completed", true);
      }
      bus.finished();
    },
    async cancelTask(taskId, bus) {
      bus.publish({ kind: "status-update", taskId, contextId: "", final: true, status: { state: "canceled" } });
      bus.finished();
    },
  });
  app.use("/agent/.well-known/agent-card.json", v03Express.agentCardHandler({ agentCardProvider: requestHandler }));
  app.use(
    "/agent/rpc",
    v03Express.jsonRpcHandler({ requestHandler, userBuilder: v03Express.UserBuilder.noAuthentication }),
  );
}

/** An agent whose every answer the test writes; its card is one of 1.0, JSON-RPC at `/rpc`, unless the test says otherwise. */
export async function startRawAgent(answer: RequestListener, card: object = {}): Promise<ForeignAgent> {
  const asked: IncomingHttpHeaders[] = [];
  let url = "";
  const server = createServer((request, response) => {
    if (request.url?.endsWith("/agent-card.json")) {
      const main = { url: `${url}/rpc`, protocolBinding: "JSONRPC", protocolVersion: "1.0" };
      response.end(
        JSON.stringify({ name: "raw", supportedInterfaces: [main], capabilities: { streaming: true }, ...card }),
      );
      return;
    }
    asked.push(request.headers);
    answer(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    asked,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
