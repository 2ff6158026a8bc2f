import type { ServiceError } from "@grpc/grpc-js";
import { readMessage } from "../../src/a2a/protocol/protobuf/read.js";
import { writeMessage } from "../../src/a2a/protocol/protobuf/write.js";
import { methodsOf } from "../../src/a2a/server/grpc/methods.js";
import type { OperationName } from "../../src/a2a/server/operations/operation.js";
import type { AgentName } from "../../src/access/agent-name.js";
import type { JsonObject } from "../../src/shared/json.js";
import { endedBy, RawClient } from "./grpc-edge.js";

/** What became of a call, as far as it matters who made it. */
export interface Heard {
  outcome: "done" | "absent" | "unauthenticated" | "scope" | "policy" | "other error";
  /** All that the caller was shown, in a form in which two answers can be compared. */
  shown: unknown;
  /** Of a call that went well; nothing of a stream. */
  result: JsonObject;
}

export interface Binding {
  call(operation: OperationName, agent: AgentName, params: JsonObject, headers: Record<string, string>): Promise<Heard>;
  close(): void;
}

const V1 = { "a2a-version": "1.0" };

export const endpointOf = (origin: string, { tenant, name }: AgentName): string =>
  tenant === "default" ? `${origin}/v1/agents/${name}/a2a` : `${origin}/v1/tenants/${tenant}/agents/${name}/a2a`;

const METHODS: Record<OperationName, string> = {
  send: "SendMessage",
  stream: "SendStreamingMessage",
  get: "GetTask",
  list: "ListTasks",
  cancel: "CancelTask",
  subscribe: "SubscribeToTask",
  createPush: "CreateTaskPushNotificationConfig",
  getPush: "GetTaskPushNotificationConfig",
  listPush: "ListTaskPushNotificationConfigs",
  deletePush: "DeleteTaskPushNotificationConfig",
  extendedCard: "GetExtendedAgentCard",
};

export const jsonRpc = (origin: string): Binding => ({
  call: async (operation, agent, params, headers) =>
    heardOverHttp(
      await fetch(endpointOf(origin, agent), {
        method: "POST",
        headers: { ...V1, "content-type": "application/json", ...headers },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: METHODS[operation], params }),
      }),
    ),
  close: () => {},
});

type Path = (params: Record<string, string>) => string;

const ROUTES: Record<OperationName, [verb: string, path: Path]> = {
  send: ["POST", () => "message:send"],
  stream: ["POST", () => "message:stream"],
  get: ["GET", ({ id }) => `tasks/${id}`],
  list: ["GET", () => "tasks"],
  cancel: ["POST", ({ id }) => `tasks/${id}:cancel`],
  subscribe: ["POST", ({ id }) => `tasks/${id}:subscribe`],
  createPush: ["POST", ({ taskId }) => `tasks/${taskId}/pushNotificationConfigs`],
  getPush: ["GET", ({ taskId, id }) => `tasks/${taskId}/pushNotificationConfigs/${id}`],
  listPush: ["GET", ({ taskId }) => `tasks/${taskId}/pushNotificationConfigs`],
  deletePush: ["DELETE", ({ taskId, id }) => `tasks/${taskId}/pushNotificationConfigs/${id}`],
  extendedCard: ["GET", () => "extendedAgentCard"],
};

export const rest = (origin: string): Binding => ({
  async call(operation, agent, params, headers) {
    const [method, path] = ROUTES[operation];
    const body = method === "POST" ? { body: JSON.stringify(bodyOf(operation, params)) } : {};
    return heardOverHttp(
      await fetch(`${endpointOf(origin, agent)}/${path(params as Record<string, string>)}`, {
        method,
        headers: { ...V1, "content-type": "application/a2a+json", ...headers },
        ...body,
      }),
    );
  },
  close: () => {},
});

/** What stands in the path is not said again. */
function bodyOf(operation: OperationName, params: JsonObject): JsonObject {
  if (operation === "cancel" || operation === "subscribe") return {};
  const { taskId: _, ...config } = params;
  return operation === "createPush" ? config : params;
}

/** Documents besides the operations, such as cards. */
export const getDocument = async (url: string, headers: Record<string, string>): Promise<Heard> =>
  heardOverHttp(await fetch(url, { headers }));

async function heardOverHttp(response: Response): Promise<Heard> {
  const { status } = response;
  const headers = [...response.headers].filter(([name]) => name !== "date");
  if (status === 200 && response.headers.get("content-type")?.startsWith("text/event-stream")) {
    await response.body?.cancel();
    return { outcome: "done", shown: { status, headers }, result: {} };
  }
  const text = await response.text();
  const json = text === "" ? {} : JSON.parse(text);
  const shown = { status, headers, text };
  if (text === '{"error":"not found"}') return { outcome: "absent", shown, result: {} };
  if (status < 300 && json.error === undefined) return { outcome: "done", shown, result: json.result ?? json };
  const { message, data, details } = json.error;
  const info = (data ?? details ?? []).find((one: { reason?: string }) => one.reason !== undefined);
  return { outcome: outcomeOf(info?.reason, message, info?.metadata ?? {}), shown, result: {} };
}

export const grpc = (address: string): Binding => {
  const client = new RawClient(address);
  const methods = new Map(methodsOf("1.0").map((method) => [method.operation, method]));
  return {
    async call(operation, agent, params, metadata) {
      const method = methods.get(operation);
      if (method === undefined) throw new Error(`${operation} is not served`);
      const tenant = `${agent.tenant}/${agent.name}`;
      const bytes = writeMessage(method.request, { tenant, ...params });
      try {
        if (method.streams) return await firstOf(client.stream(method.path, bytes, metadata));
        const answer = await client.unary(method.path, bytes, metadata);
        return { outcome: "done", shown: answer.toString("hex"), result: readMessage(method.response, answer) };
      } catch (error) {
        const ended = endedBy(error as ServiceError);
        const info = ended.details?.errorInfo;
        const outcome = outcomeOf(info?.reason, ended.message, info?.metadata ?? {});
        return { outcome, shown: ended, result: {} };
      }
    },
    close: () => client.close(),
  };
};

function firstOf(call: ReturnType<RawClient["stream"]>): Promise<Heard> {
  return new Promise((resolve, reject) => {
    call.on("data", () => {
      resolve({ outcome: "done", shown: null, result: {} });
      call.cancel();
    });
    call.on("error", reject);
  });
}

function outcomeOf(reason: string | undefined, message: string, metadata: Record<string, string>): Heard["outcome"] {
  switch (reason) {
    case "UNAUTHENTICATED":
      return "unauthenticated";
    case "PERMISSION_DENIED":
      return "scope" in metadata ? "scope" : "policy";
    case "AGENT_NOT_FOUND":
      return "absent";
    case "TASK_NOT_FOUND":
      // Of a task that is there, and has no such configuration.
      return message.includes("push notification configuration") ? "other error" : "absent";
    default:
      return "other error";
  }
}
