import { connect as connectTcp } from "node:net";
import { gzipSync } from "node:zlib";
import { A2AService } from "@a2a-js/sdk/server/grpc";
import { type ServiceError, status } from "@grpc/grpc-js";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { methodsOf } from "../../src/a2a/server/grpc/methods.js";
import { scripted } from "../support/a2a-edge.js";
import {
  endedBy,
  type GrpcEdge,
  metadataOf,
  RawClient,
  refusalOf,
  sendRequest,
  startGrpcEdge,
} from "../support/grpc-edge.js";
import { FrameClient, framed } from "../support/grpc-frames.js";

const SEND = A2AService.sendMessage;
const STREAM = A2AService.sendStreamingMessage;
const PIECES = Array.from({ length: 40 }, (_, at) => `${at}:${"x".repeat(8_000)};`);

const sendBytes = (text: string, more: Parameters<typeof sendRequest>[2] = {}): Buffer =>
  SEND.requestSerialize(sendRequest("worker", text, more) as never);

/** Waits for what must come, without a time of its own: the test has one. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe("callers that do not behave", () => {
  let house: GrpcEdge;
  let authorization: string;
  let client: RawClient;

  beforeAll(async () => {
    house = await startGrpcEdge({
      personas: [
        scripted(
          "worker",
          [
            { when: { text: /^hang/ }, steps: [{ status: "hanging" }, { hang: true }] },
            { when: { text: /^long/ }, steps: [...PIECES.map((chunk) => ({ chunk })), { reply: "end" }] },
          ],
          { visibility: "public", maxConcurrent: 100 },
        ),
      ],
      http: { defaultAgent: "worker" },
      grpc: { requestTimeoutMs: 400, stallMs: 400 },
    });
    authorization = (await house.edge.key("app")).authorization;
    client = new RawClient(house.address, { authorization });
  });
  afterAll(async () => {
    client.close();
    expect(house.edge.faults).toEqual([]);
    await house.close();
    expect(house.edge.followers.size).toBe(0);
  });

  const open = () => house.edge.edge.calls.size;
  /** Asks for no work: tasks that hang may have all the slots. */
  const served = async () => {
    expect(await client.refusal("getTask", { tenant: "worker", id: "none" })).toMatchObject({ code: "NOT_FOUND" });
  };
  /** Opens a call, has `write` send what it likes, and says how it ended. */
  async function frames(
    path: string,
    write: (stream: ReturnType<FrameClient["open"]>["stream"]) => void,
    headers: Record<string, string> = {},
  ) {
    const raw = new FrameClient(house.address);
    try {
      const call = raw.open(path, { authorization, ...headers }).read();
      write(call.stream);
      return await call.ended;
    } finally {
      raw.close();
    }
  }

  describe("messages", () => {
    it("E24 one of more than a mebibyte is refused, and one of less is not", async () => {
      const refused = await refusalOf(client.unary(SEND.path, sendBytes("x".repeat(1024 * 1024))));
      expect(refused).toMatchObject({ code: "RESOURCE_EXHAUSTED", message: expect.stringContaining("larger") });
      const text = "x".repeat(1024 * 1024 - 1000);
      const { payload } = SEND.responseDeserialize(await client.unary(SEND.path, sendBytes(text)));
      expect(payload).toMatchObject({ $case: "task", value: { status: { state: 3 } } });
    });

    it("E24 R5 one that says it is larger is refused before it has come", async () => {
      const head = Buffer.of(0, 0xff, 0xff, 0xff, 0xff);
      expect((await frames(SEND.path, (stream) => stream.write(head))).status).toBe("8");
      await served();
    });

    it("E24 R5 one that is larger when it is unpacked is refused", async () => {
      const bomb = framed(gzipSync(Buffer.alloc(50 * 1024 * 1024)), true);
      expect(bomb.length).toBeLessThan(100_000);
      const ended = await frames(SEND.path, (stream) => stream.end(bomb), { "grpc-encoding": "gzip" });
      expect(ended.status).toBe("8");
      const packed = framed(gzipSync(sendBytes("packed")), true);
      expect((await frames(SEND.path, (stream) => stream.end(packed), { "grpc-encoding": "gzip" })).status).toBe("0");
    });

    it.each<[string, Buffer, Record<string, string>, string]>([
      ["packed in a way that nobody knows", framed(Buffer.of(1, 2, 3), true), { "grpc-encoding": "brotli" }, "12"],
      ["packed, and is not", framed(Buffer.of(1, 2, 3), true), { "grpc-encoding": "gzip" }, "13"],
      ["two in place of one", Buffer.concat([framed(Buffer.alloc(0)), framed(Buffer.alloc(0))]), {}, "12"],
      ["none", Buffer.alloc(0), {}, "12"],
      ["half of one", framed(Buffer.alloc(100)).subarray(0, 50), {}, "12"],
    ])("R5 a request that is %s", async (_what, bytes, headers, code) => {
      expect((await frames(SEND.path, (stream) => stream.end(bytes), headers)).status).toBe(code);
      await served();
    });

    it("R5 text that is not UTF-8 is refused with its place", async () => {
      const bytes = Buffer.from(sendBytes("café"));
      bytes[bytes.indexOf(Buffer.from("é"))] = 0xff;
      expect(await refusalOf(client.unary(SEND.path, bytes))).toMatchObject({
        code: "INVALID_ARGUMENT",
        details: { fieldViolations: [{ field: "message.parts[0].text", description: "must be valid UTF-8" }] },
      });
    });

    it("R5 a role, a state and parts that there are not are refused with their names", async () => {
      for (const [message, field] of [
        [{ role: 7 }, "message.role"],
        [{ role: 0 }, "message.role"],
        [{ parts: [] }, "message.parts"],
        [{ parts: [{ metadata: undefined, filename: "", mediaType: "" }] }, "message.parts[0]"],
        [{ messageId: "" }, "message.messageId"],
      ] as const) {
        expect(await refusalOf(client.unary(SEND.path, sendBytes("x", { message })))).toMatchObject({
          code: "INVALID_ARGUMENT",
          details: { fieldViolations: [{ field }] },
        });
      }
      const listed = await client.refusal("listTasks", {
        ...{ tenant: "worker", contextId: "", status: 99, pageToken: "" },
      });
      expect(listed).toMatchObject({ code: "INVALID_ARGUMENT", details: { fieldViolations: [{ field: "status" }] } });
    });

    it("R5 whatever the bytes: an answer of the table, never a fault of ours", async () => {
      const methods = [...methodsOf("1.0"), ...methodsOf("0.3")].filter(({ streams }) => !streams);
      const valid = sendBytes("hello", { configuration: { returnImmediately: true } });
      const allowed = new Set([
        "OK",
        "INVALID_ARGUMENT",
        "NOT_FOUND",
        "FAILED_PRECONDITION",
        "ALREADY_EXISTS",
        "UNIMPLEMENTED",
      ]);
      const body = fc.oneof(
        fc.uint8Array({ maxLength: 64 }),
        fc.tuple(fc.nat(), fc.nat(255)).map(([at, byte]) => {
          const changed = Buffer.from(valid);
          changed[at % changed.length] = byte;
          return changed;
        }),
        fc.nat().map((at) => valid.subarray(0, at % valid.length)),
      );
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...methods), body, async ({ path }, bytes) => {
          const code = await client.unary(path, bytes).then(
            () => "OK",
            (error: ServiceError) => `${status[error.code]}`,
          );
          expect(allowed).toContain(code);
        }),
        { numRuns: 150 },
      );
      expect(house.edge.faults).toEqual([]);
    });
  });

  describe("metadata", () => {
    it("E24 more than 16 KiB of it is refused", async () => {
      const refused = await refusalOf(client.unary(SEND.path, sendBytes("x"), { "x-much": "m".repeat(20_000) }));
      expect(refused).toMatchObject({
        code: "RESOURCE_EXHAUSTED",
        details: { errorInfo: { metadata: { limit: "16384" } } },
      });
    });

    it("R5 names of agents and versions may be anything", async () => {
      for (const value of ["/", "//", "a/b/c", "..", "x".repeat(5_000), "%00", "default/"]) {
        expect((await refusalOf(client.unary(SEND.path, sendBytes("x"), { "x-nuncio-agent": value }))).code).toBe(
          "NOT_FOUND",
        );
        const { code } = await refusalOf(client.unary(SEND.path, sendBytes("x"), { "a2a-version": value }));
        expect(code).toBe("FAILED_PRECONDITION");
      }
    });

    it("R5 R7 what is no metadata is no credential and no name, and is told to nobody", async () => {
      const said = vi.spyOn(console, "error");
      const open = await startGrpcEdge({ http: { anonymous: true, defaultAgent: "echo" } });
      const raw = new FrameClient(open.address);
      const ended = async (headers: Record<string, string>) => {
        const call = raw.open(SEND.path, headers).read();
        call.stream.end(framed(SEND.requestSerialize(sendRequest("", "hello") as never)));
        return (await call.ended).status;
      };
      expect(await ended({ authorization: "Bearer \u00e9 secret" })).toBe("16");
      expect(await ended({ "x-nuncio-agent-token": "\u00e9 secret" })).toBe("16");
      expect(await ended({ "x-nuncio-agent": "echo\u00e9" })).toBe("5");
      expect(await ended({ "a2a-version": "\u00e9" })).toBe("9");
      expect(await ended({ "x!": "\u00e9 secret" })).toBe("0");
      raw.close();
      await open.close();
      expect(said).not.toHaveBeenCalled();
      said.mockRestore();
    });

    it("R5 another content type, method or deadline is no call", async () => {
      const raw = new FrameClient(house.address);
      const html = await raw.open(SEND.path, { "content-type": "text/html", authorization }).read().ended;
      expect(html.headers[":status"]).toBe(415);
      const late = await raw.open(SEND.path, { "grpc-timeout": "soon", authorization }).read().ended;
      expect(late.status).toBe("13");
      raw.close();
      await served();
    });
  });

  describe("time", () => {
    it("a request that does not come whole is ended, and its stream with it", async () => {
      for (const begun of [Buffer.alloc(0), framed(Buffer.alloc(100)).subarray(0, 30)]) {
        const ended = await frames(SEND.path, (stream) => stream.write(begun));
        expect(ended).toMatchObject({ status: "4" });
      }
      await served();
    });

    it("E22 who gives up stops being told at once, and the task goes on", async () => {
      const stream = client.stream(STREAM.path, sendBytes("hang"));
      stream.on("error", () => {});
      const first = await new Promise<Buffer>((resolve) => stream.once("data", resolve));
      const { payload } = STREAM.responseDeserialize(first);
      const id = payload?.$case === "task" ? payload.value.id : "";
      expect(open()).toBe(1);
      stream.cancel();
      await until(() => open() === 0 && house.edge.followers.size === 0);
      expect((await client.call("getTask", { tenant: "worker", id })).status.state).toBe(2);
    });

    it("E20 a deadline ends the wait, and the task goes on", async () => {
      const error = await new Promise<ServiceError>((resolve) => {
        client.grpc.makeUnaryRequest(
          SEND.path,
          (bytes: Buffer) => bytes,
          (bytes: Buffer) => bytes,
          sendBytes("hang"),
          metadataOf({ authorization }),
          { deadline: Date.now() + 300 },
          (ended) => resolve(ended as ServiceError),
        );
      });
      expect(endedBy(error).code).toBe("DEADLINE_EXCEEDED");
      await until(() => open() === 0 && house.edge.followers.size === 0);
    });

    it.each([
      ["a stream", STREAM.path],
      ["an answer", SEND.path],
    ])("E22 who takes nothing of %s is cut, and nothing is kept for it", async (_what, path) => {
      // A window of no bytes: what is written stays where it is.
      const raw = new FrameClient(house.address);
      raw.session.settings({ initialWindowSize: 0 });
      const call = raw.open(path, { authorization });
      call.stream.end(framed(sendBytes("long")));
      call.read();
      const { status: ended } = await call.ended;
      expect(ended).toBe("");
      expect(call.stream.rstCode).toBe(8);
      await until(() => open() === 0 && house.edge.followers.size === 0);
      raw.close();
    });

    it("E24 who asks for much and reads none of it is given so much, and no more", async () => {
      const { payload } = await client.call("sendMessage", sendRequest("worker", "x".repeat(1_000_000)));
      const raw = new FrameClient(house.address);
      raw.session.settings({ initialWindowSize: 0 });
      const get = A2AService.getTask;
      const wanted = framed(get.requestSerialize({ tenant: "worker", id: payload.value.id, historyLength: undefined }));
      const ends: string[] = [];
      const calls = Array.from({ length: 30 }, () => {
        const call = raw.open(get.path, { authorization });
        call.stream.end(wanted);
        return call.read().ended.then(({ status: ended }) => ends.push(ended));
      });
      await Promise.all(calls);
      // Of 2 MB each eight fill the 16 MiB, and are cut in the end. The rest were told.
      expect(ends.filter((ended) => ended === "8").length).toBeGreaterThan(15);
      expect(ends.filter((ended) => ended === "").length).toBeGreaterThan(5);
      raw.close();
      await served();
    });

    it("E22 a slow reader gets every piece, in order", async () => {
      const raw = new FrameClient(house.address);
      raw.session.settings({ initialWindowSize: 3_000 });
      const call = raw.open(STREAM.path, { authorization });
      call.stream.end(framed(sendBytes("long")));
      let bytes = Buffer.alloc(0);
      for await (const piece of call.stream) {
        bytes = Buffer.concat([bytes, piece as Buffer]);
        await new Promise(setImmediate);
      }
      expect((await call.ended).status).toBe("0");
      let text = "";
      for (let at = 0; at < bytes.length; ) {
        const length = bytes.readUInt32BE(at + 1);
        const { payload } = STREAM.responseDeserialize(bytes.subarray(at + 5, at + 5 + length));
        const parts = payload?.$case === "artifactUpdate" ? (payload.value.artifact?.parts ?? []) : [];
        for (const { content } of parts) text += content?.$case === "text" ? content.value : "";
        at += 5 + length;
      }
      expect(text).toBe(`${PIECES.join("")}end`);
      raw.close();
    });
  });

  describe("connections", () => {
    it("E22 hundreds that are cut within a stream leave nothing behind", async () => {
      for (let round = 0; round < 2; round++) {
        const raws = Array.from({ length: 5 }, () => new FrameClient(house.address));
        const calls = raws.flatMap((raw) =>
          Array.from({ length: 25 }, () => {
            const call = raw.open(STREAM.path, { authorization });
            call.stream.end(framed(sendBytes("hang")));
            return call.read();
          }),
        );
        await until(() => open() === calls.length);
        for (const raw of raws) raw.close();
        await until(() => open() === 0 && house.edge.followers.size === 0);
      }
    });

    it("R5 bytes that are no HTTP/2, and none at all, harm nobody", async () => {
      const preface = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
      const samples = [
        Buffer.from("GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
        Buffer.from("POST /lf.a2a.v1.A2AService/SendMessage HTTP/1.1\r\n\r\n"),
        Buffer.alloc(1_000, 0xff),
        preface.subarray(0, 10),
        Buffer.concat([preface, Buffer.alloc(500, 0x7f)]),
        Buffer.concat([preface, Buffer.of(0xff, 0xff, 0xff, 1, 4, 0, 0, 0, 1)]),
        Buffer.alloc(0),
      ];
      for (const sample of samples) {
        const socket = connectTcp(house.port, "127.0.0.1");
        socket.on("error", () => {});
        const gone = new Promise((resolve) => socket.on("close", resolve));
        socket.resume();
        socket.end(sample);
        await gone;
      }
      await served();
    });

    it("R5 thousands of calls that are taken back at once harm nobody", async () => {
      const raw = new FrameClient(house.address);
      for (let at = 0; at < 3_000 && !raw.session.destroyed; at++) {
        raw.open(STREAM.path, { authorization }).stream.close(8);
        if (at % 100 === 0) await new Promise(setImmediate);
      }
      await served();
      raw.close();
      await until(() => open() === 0);
    });

    it("no more than so many at a time", async () => {
      const small = await startGrpcEdge({ grpc: { maxConnections: 2 } });
      const sockets = Array.from({ length: 3 }, () => connectTcp(small.port, "127.0.0.1"));
      const third = sockets[2] as (typeof sockets)[number];
      for (const socket of sockets) socket.on("error", () => {});
      await new Promise((resolve) => third.resume().on("close", resolve));
      for (const socket of sockets) socket.destroy();
      await small.close();
    });
  });
});
