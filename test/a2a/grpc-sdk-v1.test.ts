import { type AgentCard, Role, type StreamResponse, type Task, TaskState } from "@a2a-js/sdk";
import { type Client, ClientFactory, ClientFactoryOptions } from "@a2a-js/sdk/client";
import { GrpcTransportFactory } from "@a2a-js/sdk/client/grpc";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type GrpcEdge, sendRequest, startGrpcEdge } from "../support/grpc-edge.js";

/** The official client finds gRPC in the card that it is given, and puts the tenant of it into every request. */
describe("@a2a-js/sdk 1.3.0 over gRPC", () => {
  let house: GrpcEdge;
  let authorization: string;
  const clients = new Map<string, Client>();

  beforeAll(async () => {
    house = await startGrpcEdge();
    authorization = (await house.edge.key("sdk")).authorization;
  });
  afterAll(() => house.close());

  async function clientOf(persona: string): Promise<Client> {
    const known = clients.get(persona);
    if (known !== undefined) return known;
    const answer = await fetch(`${house.edge.urlOf(persona)}/.well-known/agent-card.json`, {
      headers: { "a2a-version": "1.0" },
    });
    const card = (await answer.json()) as AgentCard;
    const client = await new ClientFactory(
      ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
        transports: [new GrpcTransportFactory()],
        preferredTransports: ["GRPC"],
        clientConfig: {
          interceptors: [
            {
              before: async ({ options }: { options?: { serviceParameters?: Record<string, string> } }) => {
                if (options !== undefined) options.serviceParameters = { ...options.serviceParameters, authorization };
              },
              after: async () => {},
            },
          ],
        },
      } as never),
    ).createFromAgentCard(card);
    clients.set(persona, client);
    return client;
  }
  const request = (text: string, more: Parameters<typeof sendRequest>[2] = {}) => sendRequest("", text, more) as never;
  const statesOf = (seen: StreamResponse[]) =>
    seen.flatMap(({ payload }) =>
      payload?.$case === "task" || payload?.$case === "statusUpdate" ? [payload.value.status?.state] : [],
    );

  it("E14 E20 sends a message and gets the finished task", async () => {
    const task = (await (await clientOf("echo")).sendMessage(request("hello"))) as Task;
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    expect(task.artifacts[0]?.parts[0]?.content).toEqual({ $case: "text", value: "hello" });
    expect(task.history[0]?.role).toBe(Role.ROLE_USER);
  });

  it("E14 E22 streams: the task, updates, the end", async () => {
    const seen: StreamResponse[] = [];
    for await (const event of (await clientOf("actor")).sendMessageStream(request("stream"))) seen.push(event);
    expect(seen[0]?.payload?.$case).toBe("task");
    expect(seen.some(({ payload }) => payload?.$case === "artifactUpdate")).toBe(true);
    expect(statesOf(seen).at(-1)).toBe(TaskState.TASK_STATE_COMPLETED);
  });
});
