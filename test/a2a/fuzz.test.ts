import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Edge, rpc, startEdge } from "../support/a2a-edge.js";

const METHODS = {
  "1.0": [
    "SendMessage",
    "SendStreamingMessage",
    "GetTask",
    "CancelTask",
    "SubscribeToTask",
    "ListTasks",
    "CreateTaskPushNotificationConfig",
    "GetTaskPushNotificationConfig",
    "ListTaskPushNotificationConfigs",
    "DeleteTaskPushNotificationConfig",
    "GetExtendedAgentCard",
  ],
  "0.3": [
    "message/send",
    "message/stream",
    "tasks/get",
    "tasks/cancel",
    "tasks/resubscribe",
    "tasks/list",
    "tasks/pushNotificationConfig/set",
    "tasks/pushNotificationConfig/get",
    "tasks/pushNotificationConfig/list",
    "tasks/pushNotificationConfig/delete",
    "agent/getAuthenticatedExtendedCard",
  ],
};

/** Values that a field may have: right, nearly right, and anything. */
const odd = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  fc.constantFrom<unknown>(
    null,
    "",
    0,
    -1,
    1.5,
    1e308,
    [],
    {},
    true,
    "\u0000",
    "x".repeat(600),
    "__proto__",
    "ROLE_AGENT",
    "agent",
  ),
);
const mostly = <T>(right: fc.Arbitrary<T>): fc.Arbitrary<unknown> => fc.oneof({ weight: 5, arbitrary: right }, odd);

const part = mostly(
  fc.record(
    {
      kind: mostly(fc.constantFrom("text", "file", "data")),
      text: mostly(fc.constantFrom("hi", "ask", "fail", "bare")),
      raw: odd,
      url: odd,
      data: odd,
      file: mostly(fc.record({ bytes: odd, uri: odd, name: odd }, { requiredKeys: [] })),
      metadata: odd,
      filename: odd,
      mediaType: odd,
    },
    { requiredKeys: [] },
  ),
);
const message = mostly(
  fc.record(
    {
      kind: mostly(fc.constant("message")),
      messageId: mostly(fc.uuid()),
      role: mostly(fc.constantFrom("ROLE_USER", "user")),
      parts: mostly(
        fc.oneof(
          fc.constant([{ text: "hi" }]),
          fc.constant([{ kind: "text", text: "hi" }]),
          fc.array(part, { maxLength: 3 }),
        ),
      ),
      contextId: odd,
      taskId: odd,
      metadata: odd,
      extensions: odd,
      referenceTaskIds: odd,
    },
    { requiredKeys: ["messageId", "role", "parts"] },
  ),
);
const push = mostly(
  fc.record(
    { id: odd, url: mostly(fc.webUrl()), token: odd, authentication: mostly(fc.record({ scheme: odd, schemes: odd })) },
    { requiredKeys: [] },
  ),
);
const params = mostly(
  fc.record(
    {
      message,
      id: odd,
      taskId: odd,
      url: odd,
      token: odd,
      authentication: odd,
      pushNotificationConfig: push,
      pushNotificationConfigId: odd,
      status: odd,
      pageSize: odd,
      pageToken: odd,
      statusTimestampAfter: odd,
      includeArtifacts: odd,
      configuration: mostly(
        fc.record(
          {
            blocking: odd,
            returnImmediately: odd,
            historyLength: odd,
            acceptedOutputModes: odd,
            taskPushNotificationConfig: push,
            pushNotificationConfig: push,
          },
          { requiredKeys: [] },
        ),
      ),
      metadata: odd,
      tenant: odd,
      historyLength: odd,
    },
    { requiredKeys: ["message"] },
  ),
);
const call = (version: keyof typeof METHODS) =>
  fc.record(
    {
      jsonrpc: mostly(fc.constant("2.0")),
      id: mostly(fc.oneof(fc.integer(), fc.uuid())),
      method: mostly(fc.constantFrom(...METHODS[version])),
      params,
    },
    { requiredKeys: ["jsonrpc", "id", "method"] },
  );

describe("requests of any shape", () => {
  let edge: Edge;
  let authorization: string;

  beforeAll(async () => {
    edge = await startEdge();
    authorization = (await edge.key("fuzz")).authorization;
  });
  afterAll(() => edge.stop());

  async function expectSane(body: string, version: string): Promise<void> {
    const answer = await rpc(edge.urlOf("actor"), body, { authorization, "a2a-version": version });
    expect(answer.status).toBeLessThan(500);
    expect(answer.text).not.toMatch(/node_modules|\bat .*:\d+:\d+/);
    if (answer.headers.get("content-type")?.includes("event-stream") === true) {
      expect(answer.text).toContain('"result"');
    } else {
      expect(answer.json.jsonrpc).toBe("2.0");
      expect(Object.keys(answer.json).filter((key) => key === "result" || key === "error")).toHaveLength(1);
      if (answer.json.error !== undefined) expect(answer.json.error.code).not.toBe(-32603);
    }
    expect(edge.faults).toEqual([]);
  }

  it.each(["1.0", "0.3"] as const)("R5 never give a 5xx, a stack or anything but JSON-RPC: %s", async (version) => {
    await fc.assert(
      fc.asyncProperty(call(version), async (body) => {
        await expectSane(JSON.stringify(body), version);
      }),
      { numRuns: 300 },
    );
  });

  it("R5 nor do bodies that are hardly JSON", async () => {
    const whole = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "GetTask", params: { id: "x" } });
    const torn = fc
      .record({ at: fc.nat(whole.length), dropped: fc.nat(5), put: fc.string({ unit: "binary", maxLength: 3 }) })
      .map(({ at, dropped, put }) => whole.slice(0, at) + put + whole.slice(at + dropped));
    await fc.assert(
      fc.asyncProperty(fc.oneof(torn, fc.string(), fc.json()), async (body) => {
        await expectSane(body, "1.0");
      }),
      { numRuns: 200 },
    );
  });
});
