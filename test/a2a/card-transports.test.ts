import type { Task } from "@a2a-js/sdk";
import { Role, TaskState } from "@a2a-js/sdk";
import * as v1 from "@a2a-js/sdk/client";
import { GrpcTransportFactory } from "@a2a-js/sdk/client/grpc";
import * as v03 from "a2a-sdk-0-3/client";
import { GrpcTransportFactory as GrpcTransportFactoryV03 } from "a2a-sdk-0-3/client/grpc";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DETAILS_EXTENSION } from "../../src/a2a/server/cards/details.js";
import { newId } from "../../src/shared/ids.js";
import { echo, scripted } from "../support/a2a-edge.js";
import { newCardKeys } from "../support/card-facts.js";
import { cardV03 } from "../support/card-v03.js";
import { type GrpcEdge, startGrpcEdge } from "../support/grpc-edge.js";

/** What a card declares is reached by clients that know nothing but the card. */
describe("each interface that a card names, by the official clients", () => {
  let house: GrpcEdge;
  let authorization: string;
  let authorized: typeof fetch;

  beforeAll(async () => {
    house = await startGrpcEdge({
      personas: [echo, scripted("other", [], { tenant: "acme", visibility: "public" })],
      http: { defaultAgent: "echo", cards: { rest: true, push: true, keys: newCardKeys() } },
    });
    authorization = (await house.edge.key("sdk")).authorization;
    authorized = (input, init) =>
      fetch(input, { ...init, headers: { ...(init?.headers as Record<string, string>), authorization } });
  });
  afterAll(async () => {
    await house.close();
    expect(house.edge.faults).toEqual([]);
  });

  const urls = {
    echo: () => house.edge.urlOf("echo"),
    other: () => `${house.edge.origin}/v1/tenants/acme/agents/other/a2a`,
  };
  const options = () => ({ serviceParameters: { authorization } });

  const clientV1 = (agent: "echo" | "other", binding: string) =>
    new v1.ClientFactory({
      transports: [
        new v1.JsonRpcTransportFactory({ fetchImpl: authorized }),
        new v1.RestTransportFactory({ fetchImpl: authorized }),
        new GrpcTransportFactory(),
      ],
      preferredTransports: [binding],
    }).createFromUrl(urls[agent]());

  it.each([
    ["JSONRPC", "echo"],
    ["HTTP+JSON", "echo"],
    ["GRPC", "echo"],
    ["JSONRPC", "other"],
    ["HTTP+JSON", "other"],
    ["GRPC", "other"],
  ] as const)("E14 E20 1.3.0 over %s sends to %s, and reads its extended card", async (binding, agent) => {
    const client = await clientV1(agent, binding);
    const task = (await client.sendMessage(
      {
        tenant: "",
        message: {
          messageId: newId(),
          contextId: "",
          taskId: "",
          role: Role.ROLE_USER,
          parts: [{ content: { $case: "text", value: "hello" }, metadata: undefined, filename: "", mediaType: "" }],
          metadata: undefined,
          extensions: [],
          referenceTaskIds: [],
        },
        configuration: undefined,
        metadata: undefined,
      },
      options(),
    )) as Task;
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    const card = await client.getAgentCard(options());
    expect(card.name).toBe(agent);
    expect(card.supportedInterfaces.map(({ protocolBinding }) => protocolBinding)).toContain("GRPC");
    expect(card.capabilities?.extensions.find(({ uri }) => uri === DETAILS_EXTENSION)?.params?.limits).toBeDefined();
    expect(card.securitySchemes.nuncioBearer?.scheme?.$case).toBe("httpAuthSecurityScheme");
    expect(card.signatures.length).toBeGreaterThan(0);
  });

  it.each([
    ["JSONRPC", "echo"],
    ["HTTP+JSON", "echo"],
    ["GRPC", "echo"],
    ["JSONRPC", "other"],
    ["HTTP+JSON", "other"],
  ] as const)("E8 E14 0.3.14 over %s sends to %s, and reads its extended card", async (binding, agent) => {
    const client = await new v03.ClientFactory({
      transports: [
        new v03.JsonRpcTransportFactory({ fetchImpl: authorized }),
        new v03.RestTransportFactory({ fetchImpl: authorized }),
        new GrpcTransportFactoryV03(),
      ],
      preferredTransports: [binding],
    }).createFromUrl(urls[agent]());
    const task = await client.sendMessage(
      {
        message: { kind: "message", messageId: newId(), role: "user", parts: [{ kind: "text", text: "hello" }] },
        configuration: { blocking: true },
      },
      options(),
    );
    expect(task).toMatchObject({ kind: "task", status: { state: "completed" } });
    const card = await client.getAgentCard(options());
    expect(card.name).toBe(agent);
    expect(card.capabilities.extensions?.map(({ uri }) => uri)).toContain(DETAILS_EXTENSION);
    // By the other bindings it has come through protocol buffers, which do not say what is empty.
    if (binding === "JSONRPC") expect(cardV03.parse(card)).toEqual(card);
  });

  it("E20 of another agent than the default one, a client of 0.3 is not told of gRPC", async () => {
    const { additionalInterfaces } = await v03.AgentCardResolver.default.resolve(urls.other());
    expect(additionalInterfaces?.map(({ transport }) => transport)).toEqual(["JSONRPC", "HTTP+JSON"]);
  });
});
