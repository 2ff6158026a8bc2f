import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { encode } from "../../conformance/protobuf/encode.js";
import type { Json } from "../../conformance/shapes/check.js";
import type { Shapes } from "../../conformance/shapes/shape.js";
import { V1 } from "../../conformance/shapes/v1.js";
import { V03_PROTO } from "../../conformance/shapes/v03-proto.js";
import { type OwnDaemon, startOwnDaemon } from "../../conformance/targets/own-daemon.js";
import { WIRES } from "../../conformance/wires/all.js";
import { GRPC_STATUS } from "../../conformance/wires/errors.js";
import { open, unary } from "../../conformance/wires/grpc.js";
import type { WireError } from "../../conformance/wires/wire.js";
import type { Version } from "../../conformance/words.js";

/** Anything that speaks of the inside of the house. */
const INSIDE = /node_modules|\bat .*:\d+:\d+|\.[jt]s:\d+|SQLITE|SELECT /;

/** Escapes that are none, sent as they are. */
const RAW = ["%", "%zz", "%ff"];

const VERSIONS = ["1.0", "0.3", "1.0.1", "", "2.0", "x"];

/** Values that a field may have: nearly right, and anything. */
const odd = fc.oneof(
  { weight: 3, arbitrary: fc.jsonValue({ maxDepth: 2 }) },
  fc.constantFrom<unknown>(null, "", 0, -1, 1.5, 1e308, [], {}, true, "\u0000", "\ud800", "x".repeat(600), "__proto__"),
);
const mostly = <T>(right: fc.Arbitrary<T>): fc.Arbitrary<unknown> => fc.oneof({ weight: 5, arbitrary: right }, odd);
const some = <T>(fields: { [Key in keyof T]: fc.Arbitrary<T[Key]> }) => fc.record(fields, { requiredKeys: [] });

/** Nothing among these keeps a task running. */
const text = fc.constantFrom("hi", "ask", "fail", "bare", "steps", "parts");
const id = fc.oneof(fc.uuid(), fc.constantFrom("x", "", "a/b", "任务", "x:cancel", "."), fc.string({ maxLength: 20 }));

describe("requests of any shape over the other bindings", () => {
  let target: OwnDaemon;
  let before: number;
  beforeAll(async () => {
    target = await startOwnDaemon(WIRES);
    before = memoryOf(target.pid);
  });
  afterAll(async () => {
    const after = memoryOf(target.pid);
    expect(await target.close()).toEqual([]);
    // Some hundred requests: what each of them left behind would show.
    expect(after - before).toBeLessThan(250 * 1024 * 1024);
  });

  describe("HTTP+JSON", () => {
    const part = some({ text: mostly(text), raw: odd, url: odd, data: odd, kind: odd, file: odd, metadata: odd });
    const message = some({
      messageId: mostly(fc.uuid()),
      role: mostly(fc.constantFrom("ROLE_USER", "user")),
      parts: mostly(fc.array(mostly(part), { maxLength: 3 })),
      content: mostly(fc.array(mostly(part), { maxLength: 3 })),
      taskId: mostly(id),
      contextId: mostly(id),
      metadata: odd,
      extensions: odd,
    });
    const push = some({ id: odd, url: mostly(fc.webUrl()), token: odd, authentication: odd, config: odd, parent: odd });
    const body = fc.oneof(
      some({
        message: mostly(message),
        configuration: mostly(
          some({
            returnImmediately: odd,
            blocking: odd,
            historyLength: odd,
            taskPushNotificationConfig: mostly(push),
            pushNotification: mostly(push),
          }),
        ),
        metadata: odd,
        tenant: odd,
        name: odd,
      }).map((value) => JSON.stringify(value)),
      push.map((value) => JSON.stringify(value)),
      fc.json(),
      fc.string({ unit: "binary", maxLength: 40 }),
    );
    const segment = fc.oneof(
      fc.constantFrom(
        "tasks",
        "message:send",
        "message:stream",
        "pushNotificationConfigs",
        "v1",
        "card",
        "extendedAgentCard",
        "default",
        "..",
        "%2e%2e",
        "%",
        "%ff",
        "%00",
        "",
      ),
      id.map((value) => encodeURIComponent(value)),
      id.map((value) => `${encodeURIComponent(value)}:subscribe`),
      id.map((value) => `${encodeURIComponent(value)}:cancel`),
    );
    const known = fc.tuple(fc.constantFrom("", "/v1"), id, id, fc.nat(7)).map(([prefix, one, other, which]) => {
      const [task, config] = [one, other].map((name) => encodeURIComponent(name));
      const paths = [
        "/message:send",
        "/message:stream",
        "/tasks",
        `/tasks/${task}`,
        `/tasks/${task}:cancel`,
        `/tasks/${task}:subscribe`,
        `/tasks/${task}/pushNotificationConfigs`,
        `/tasks/${task}/pushNotificationConfigs/${config}`,
      ];
      return `${prefix}${paths[which]}`;
    });
    const path = fc.oneof(
      { weight: 3, arbitrary: known },
      fc.array(segment, { maxLength: 6 }).map((segments) => `/${segments.join("/")}`),
    );
    const query = fc
      .array(
        fc.tuple(
          fc.constantFrom(
            "historyLength",
            "pageSize",
            "pageToken",
            "status",
            "contextId",
            "A2A-Version",
            "x",
            "tenant",
          ),
          fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom("1", "-1", "TASK_STATE_WORKING", "1e9", ...RAW)),
        ),
        { maxLength: 4 },
      )
      .map((pairs) =>
        pairs.length === 0
          ? ""
          : `?${pairs.map(([name, value]) => `${name}=${RAW.includes(value) ? value : encodeURIComponent(value)}`).join("&")}`,
      );
    const call = fc.record({
      method: fc.oneof(
        { weight: 4, arbitrary: fc.constantFrom("GET", "POST", "DELETE") },
        fc.constantFrom("PUT", "PATCH", "HEAD", "OPTIONS"),
      ),
      path,
      query,
      body: fc.oneof({ weight: 3, arbitrary: body }, fc.constant("")),
      version: fc.constantFrom(...VERSIONS),
      type: fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom("application/json", "application/a2a+json") },
        fc.constantFrom("text/plain", "", "application/json;charset=latin1"),
      ),
    });

    it("R5 never give a 5xx, a stack, or anything but JSON", async () => {
      await fc.assert(
        fc.asyncProperty(call, async ({ method, path, query, body, version, type }) => {
          const answer = await ask(target, method, path + query, body, {
            "a2a-version": version,
            "content-type": type,
          });
          expect(answer.status).toBeLessThan(500);
          expect(answer.text).not.toMatch(INSIDE);
          if (answer.type.includes("json") && method !== "HEAD" && answer.text !== "") JSON.parse(answer.text);
        }),
        { numRuns: 400 },
      );
    });
  });

  describe.each<[Version, Shapes]>([
    ["1.0", V1],
    ["0.3", V03_PROTO],
  ])("gRPC %s", (version, shapes) => {
    const METHODS = {
      "1.0": {
        SendMessage: "SendMessageRequest",
        SendStreamingMessage: "SendMessageRequest",
        GetTask: "GetTaskRequest",
        ListTasks: "ListTasksRequest",
        CancelTask: "CancelTaskRequest",
        SubscribeToTask: "SubscribeToTaskRequest",
        CreateTaskPushNotificationConfig: "TaskPushNotificationConfig",
        GetTaskPushNotificationConfig: "GetTaskPushNotificationConfigRequest",
        ListTaskPushNotificationConfigs: "ListTaskPushNotificationConfigsRequest",
        DeleteTaskPushNotificationConfig: "DeleteTaskPushNotificationConfigRequest",
        GetExtendedAgentCard: "GetExtendedAgentCardRequest",
      },
      "0.3": {
        SendMessage: "SendMessageRequest",
        SendStreamingMessage: "SendMessageRequest",
        GetTask: "GetTaskRequest",
        CancelTask: "CancelTaskRequest",
        TaskSubscription: "TaskSubscriptionRequest",
        CreateTaskPushNotificationConfig: "CreateTaskPushNotificationConfigRequest",
        GetTaskPushNotificationConfig: "GetTaskPushNotificationConfigRequest",
        ListTaskPushNotificationConfig: "ListTaskPushNotificationConfigRequest",
        DeleteTaskPushNotificationConfig: "DeleteTaskPushNotificationConfigRequest",
        GetAgentCard: "GetAgentCardRequest",
      },
    }[version] as Record<string, string>;
    const STREAMS = ["SendStreamingMessage", "SubscribeToTask", "TaskSubscription"];

    /** Bytes of a message whose fields have values of their types, but any. */
    const messageOf = (name: string, depth: number): fc.Arbitrary<Json> => {
      const fields: Record<string, fc.Arbitrary<unknown>> = {};
      const alternatives: string[] = [];
      for (const field of shapes.get(name)?.fields.values() ?? []) {
        const value = fieldOf(field.name, field.type, depth);
        if (value === undefined) continue;
        fields[field.name] = field.list ? fc.array(value, { maxLength: 3 }) : value;
        if (field.map) fields[field.name] = fc.dictionary(fc.string({ maxLength: 5 }), value, { maxKeys: 2 });
        if (field.alternative) alternatives.push(field.name);
      }
      return fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<Json>;
    };
    const fieldOf = (field: string, type: string, depth: number): fc.Arbitrary<unknown> | undefined => {
      switch (type) {
        case "string":
          if (field === "text") return text;
          if (field === "tenant") return fc.constantFrom("default/actor", "", "default", "x/y", "default/actor/z");
          if (field === "name" || field === "parent") return id.map((value) => `tasks/${value}`);
          return id;
        case "bool":
          return fc.boolean();
        case "int32":
          return fc.oneof(fc.integer({ min: -2, max: 120 }), fc.integer());
        case "bytes":
          return fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString("base64"));
        case "Struct":
          return fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });
        case "Value":
          return fc.jsonValue({ maxDepth: 2 });
        case "Timestamp":
          return fc.constantFrom("2026-01-01T00:00:00Z", "1970-01-01T00:00:00Z");
        default:
          if (shapes.enum(type) !== undefined) return fc.nat(12);
          return depth === 0 ? undefined : messageOf(type, depth - 1);
      }
    };
    const call = fc.constantFrom(...Object.keys(METHODS)).chain((method) =>
      fc.record({
        method: fc.constant(method),
        bytes: fc.oneof(
          {
            weight: 4,
            arbitrary: messageOf(METHODS[method] as string, 4).map((json) => bytesOf(METHODS[method] as string, json)),
          },
          // Of a good message, some bytes are others, or are not there.
          fc
            .tuple(messageOf(METHODS[method] as string, 3), fc.nat(), fc.uint8Array({ maxLength: 3 }), fc.nat(4))
            .map(([json, at, put, dropped]) => torn(bytesOf(METHODS[method] as string, json), at, put, dropped)),
          fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
        ),
        metadata: fc.oneof(
          { weight: 5, arbitrary: fc.constant({}) },
          some({
            "a2a-version": fc.constantFrom(...VERSIONS),
            "x-nuncio-agent": fc.constantFrom("plain", "nobody", "a/b/c", "x".repeat(300)),
            "a2a-extensions": fc.constantFrom("", ",,", "https://x"),
          }),
        ),
      }),
    );
    const bytesOf = (name: string, json: Json): Buffer => encode(shapes, name, json);
    const torn = (bytes: Buffer, at: number, put: Uint8Array, dropped: number): Buffer => {
      const place = bytes.length === 0 ? 0 : at % bytes.length;
      return Buffer.concat([bytes.subarray(0, place), put, bytes.subarray(place + dropped)]);
    };

    it("R5 never give an INTERNAL, an UNKNOWN or a stack", async () => {
      const { agent, token } = target;
      await fc.assert(
        fc.asyncProperty(call, async ({ method, bytes, metadata }) => {
          const options = { agent, token, headers: metadata as Record<string, string> };
          let error: WireError | undefined;
          if (STREAMS.includes(method)) {
            const answer = await open(options, version, method, bytes, () => ({ type: "message", message: EMPTY }));
            if ("error" in answer) error = answer.error;
            else await answer.rest();
          } else {
            const answer = await unary(options, version, method, bytes);
            if ("error" in answer) error = answer.error;
          }
          if (error === undefined) return;
          expect(FAULTS).not.toContain(GRPC_STATUS[error.facts.status]);
          expect(error.message + JSON.stringify(error.details)).not.toMatch(INSIDE);
        }),
        { numRuns: 200 },
      );
    });
  });
});

const EMPTY = { messageId: "x", role: "agent" as const, parts: [] };

/** Statuses that say that the fault is the server's. */
const FAULTS = ["UNKNOWN", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "DEADLINE_EXCEEDED", "ABORTED"];

const connections = new Agent({ keepAlive: true, maxSockets: 4 });

/** The path as it is: a URL would tidy it up first. */
function ask(
  { agent, token }: OwnDaemon,
  method: string,
  path: string,
  body: string,
  headers: Record<string, string>,
): Promise<{ status: number; type: string; text: string }> {
  const { hostname, port, pathname } = new URL(agent.base);
  return new Promise((resolve, reject) => {
    const call = request(
      {
        agent: connections,
        hostname,
        port,
        method,
        path: pathname + path,
        headers: { ...headers, authorization: `Bearer ${token}`, "content-length": Buffer.byteLength(body) },
      },
      (response) => {
        const pieces: Buffer[] = [];
        response.on("data", (piece: Buffer) => pieces.push(piece));
        response.on("error", reject);
        response.on("end", () =>
          resolve({
            status: response.statusCode as number,
            type: response.headers["content-type"] ?? "",
            text: Buffer.concat(pieces).toString(),
          }),
        );
      },
    );
    call.on("error", reject);
    call.end(body);
  });
}

/** Bytes of a process that stand in memory. */
function memoryOf(pid: number): number {
  const found = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(found?.[1]) * 1024;
}
