import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { writeMessage } from "../../src/a2a/protocol/protobuf/write.js";
import { methodsOf } from "../../src/a2a/server/grpc/methods.js";
import { callV1, rpc, scripted, sendV1 } from "../support/a2a-edge.js";
import { type GrpcEdge, startGrpcEdge } from "../support/grpc-edge.js";
import { FrameClient, framed } from "../support/grpc-frames.js";

const desk = scripted("desk", [], { visibility: "public" });
const CREATE = methodsOf("1.0").find(({ operation }) => operation === "createPush");
const LIST = methodsOf("1.0").find(({ operation }) => operation === "list");
const GET = methodsOf("1.0").find(({ operation }) => operation === "get");
const HOOK = "https://93.184.215.14/hook";

let house: GrpcEdge;
let key: Awaited<ReturnType<GrpcEdge["edge"]["key"]>>;
beforeAll(async () => {
  house = await startGrpcEdge({ personas: [desk], http: { defaultAgent: "desk" } });
});
afterAll(async () => {
  expect(house.edge.faults).toEqual([]);
  await house.close();
});
beforeEach(async () => {
  key = await house.edge.key("caller", { tenant: "acme" });
});

/** What has come on a connection when the other side has closed it, or when `whole` says that it is all. */
const heard = (socket: Socket, whole = (_text: string) => false): Promise<string> =>
  new Promise((resolve) => {
    let text = "";
    socket.on("error", () => {});
    socket.on("close", () => resolve(text));
    socket.on("data", (bytes) => {
      text += bytes.toString("latin1");
      if (whole(text)) socket.destroy();
    });
  });

const request = (target: string, body: string, authorizations: string[]): [head: string, body: string] => [
  `POST ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nA2A-Version: 1.0\r\n${authorizations
    .map((one) => `Authorization: ${one}\r\n`)
    .join("")}Content-Length: ${body.length}\r\n\r\n`,
  body,
];

const statusOf = (answer: string) => answer.split(" ")[1];
const withoutDate = (answer: string) => answer.replace(/^date:.*$/im, "");

describe("who was let in by the head of a request, whose body comes later", () => {
  /** Calls of each binding, begun: what sends the rest, and says what came of it. */
  const begun: Record<string, (taskId: string) => Promise<() => Promise<string>>> = {
    "JSON-RPC": async (taskId) =>
      late("/v1/agents/desk/a2a", JSON.stringify(callV1(CREATE_METHOD, { taskId, id: "late", url: HOOK }))),
    "HTTP+JSON": async (taskId) =>
      late(`/v1/agents/desk/a2a/tasks/${taskId}/pushNotificationConfigs`, JSON.stringify({ id: "late", url: HOOK })),
    "JSON-RPC, to read": async (id) => late("/v1/agents/desk/a2a", JSON.stringify(callV1("GetTask", { id }))),
    "HTTP+JSON, to cancel": async (id) =>
      late(`/v1/agents/desk/a2a/tasks/${id}:cancel`, JSON.stringify({ tenant: "" })),
    gRPC: async (taskId) => {
      return lateCall(CREATE, { taskId, id: "late", url: HOOK });
    },
    "gRPC, to read": async (id) => lateCall(GET, { id }),
  };

  async function lateCall(method: typeof CREATE, message: Record<string, string>) {
    const client = new FrameClient(house.address);
    const call = client.open(method?.path as string, { authorization: key.authorization, "x-nuncio-agent": "desk" });
    await admitted();
    return async () => {
      call.read().stream.end(framed(writeMessage(method?.request as never, message)));
      const { status } = await call.ended;
      client.close();
      return { "0": "200", "5": "404", "16": "401" }[status] ?? status;
    };
  }
  const CREATE_METHOD = "CreateTaskPushNotificationConfig";

  async function late(target: string, json: string) {
    const [head, body] = request(target, json, [key.authorization]);
    const socket = connect(Number(new URL(house.edge.origin).port), "127.0.0.1");
    const answer = heard(socket);
    socket.write(head + body.slice(0, 10));
    await admitted();
    return async () => {
      socket.write(body.slice(10));
      return statusOf(await answer) as string;
    };
  }

  /** Resolves when the next caller has been let in. */
  function admitted(): Promise<void> {
    const { gate } = house.edge.edge;
    const admit = gate.admit.bind(gate);
    return new Promise((resolve) => {
      gate.admit = (...given) => {
        gate.admit = admit;
        const entry = admit(...given);
        setImmediate(resolve);
        return entry;
      };
    });
  }

  const changeTo = (visibility: "public" | "private") => {
    house.edge.personas.replace([{ ...desk, visibility }]);
    house.edge.edge.changed(house.edge.settings);
  };
  const made = async (): Promise<string> => {
    const url = house.edge.urlOf("desk");
    const sent = await rpc(url, sendV1("go"), { "a2a-version": "1.0", authorization: key.authorization });
    return sent.json.result.task.id as string;
  };
  const hooks = (taskId: string) => house.edge.ledger.forTenant("default").push.list(taskId);

  it.each(Object.keys(begun))("E5 R6 may do nothing any more when the key has ended meanwhile: %s", async (binding) => {
    const taskId = await made();
    const finish = await (begun[binding] as (typeof begun)[string])(taskId);
    await house.edge.keys.revokeKey({ id: key.id, now: Date.now() });
    expect(await finish()).toBe("401");
    expect(await hooks(taskId)).toEqual([]);
  });

  it.each(Object.keys(begun))("E4 R6 nor when the agent has become private: %s", async (binding) => {
    const taskId = await made();
    const finish = await (begun[binding] as (typeof begun)[string])(taskId);
    changeTo("private");
    try {
      expect(await finish()).toBe("404");
      expect(await hooks(taskId)).toEqual([]);
    } finally {
      changeTo("public");
    }
  });

  it.each(Object.keys(begun))("R6 and goes on where nothing that matters has changed: %s", async (binding) => {
    const taskId = await made();
    const finish = await (begun[binding] as (typeof begun)[string])(taskId);
    changeTo("public");
    // A task that has ended cannot be canceled, which nobody else is told.
    expect(await finish()).toBe(binding.endsWith("cancel") ? "400" : "200");
    expect(await hooks(taskId)).toHaveLength(binding.includes(", to ") ? 0 : 1);
  });
});

describe("two Authorization headers", () => {
  const NONE = `Bearer nk_${"A".repeat(43)}`;
  const orders = (): [string, string][] => [
    [key.authorization, NONE],
    [NONE, key.authorization],
    [key.authorization, key.authorization],
  ];

  it("E5 R6 are no credential over HTTP, whichever comes first, and a private agent stays as absent as ever", async () => {
    for (const two of orders()) {
      const ask = async (target: string) => {
        const socket = connect(Number(new URL(house.edge.origin).port), "127.0.0.1");
        socket.write(request(target, JSON.stringify(callV1("ListTasks", {})), two).join(""));
        return heard(socket);
      };
      expect(statusOf(await ask("/v1/agents/desk/a2a"))).toBe("401");
      expect(statusOf(await ask("/v1/agents/desk/a2a/message:send"))).toBe("401");
      expect(statusOf(await ask("/v1/agents/nobody/a2a"))).toBe("404");
    }
    const ask = (target: string) => {
      const socket = connect(Number(new URL(house.edge.origin).port), "127.0.0.1");
      socket.write(request(target, "{}", orders()[0] as string[]).join(""));
      return heard(socket).then(withoutDate);
    };
    expect(await ask("/v1/tenants/acme/agents/lab/a2a")).toBe(await ask("/v1/tenants/acme/agents/bal/a2a"));
  });

  it("E5 R6 nor over gRPC", async () => {
    for (const two of orders()) expect(await listOverHttp2(two)).toContain("trailers only");
    expect(await listOverHttp2([key.authorization])).toContain("a message");
  });

  /** In frames of its own: clients of Node send no header of this name twice. */
  async function listOverHttp2(authorizations: string[]): Promise<string> {
    const fields = [
      [":method", "POST"],
      [":scheme", "http"],
      [":path", LIST?.path as string],
      [":authority", "x"],
      ["content-type", "application/grpc"],
      ["te", "trailers"],
      ...authorizations.map((one) => ["authorization", one]),
    ] as [string, string][];
    const socket = connect(house.port, "127.0.0.1");
    const answer = heard(socket, (text) => endsStream(text));
    socket.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    socket.write(frame(SETTINGS, 0, 0, Buffer.alloc(0)));
    socket.write(frame(HEADERS, END_HEADERS, 1, Buffer.concat(fields.map(literal))));
    socket.write(frame(DATA, END_STREAM, 1, framed(writeMessage(LIST?.request as never, { tenant: "desk" }))));
    return framesIn(await answer).some(({ type }) => type === DATA) ? "a message" : "trailers only";
  }
});

const [DATA, HEADERS, SETTINGS] = [0, 1, 4];
const END_STREAM = 1;
const END_HEADERS = 4;

function frame(type: number, flags: number, stream: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** Without indexing and without Huffman (RFC 7541, 6.2.2); texts below 254 characters. */
function literal([name, value]: [string, string]): Buffer {
  const text = (of: string) =>
    Buffer.concat([Buffer.from(of.length < 127 ? [of.length] : [127, of.length - 127]), Buffer.from(of)]);
  return Buffer.concat([Buffer.from([0]), text(name), text(value)]);
}

function framesIn(text: string): { type: number; flags: number }[] {
  const bytes = Buffer.from(text, "latin1");
  const found: { type: number; flags: number }[] = [];
  for (let at = 0; at + 9 <= bytes.length; at += 9 + bytes.readUIntBE(at, 3)) {
    found.push({ type: bytes.readUInt8(at + 3), flags: bytes.readUInt8(at + 4) });
  }
  return found;
}

const endsStream = (text: string): boolean =>
  framesIn(text).some(({ type, flags }) => type === HEADERS && (flags & END_STREAM) !== 0);
