import { AgentCard, ListTasksResponse, Role, SendMessageRequest, StreamResponse, Task } from "@a2a-js/sdk";
import { A2AService } from "@a2a-js/sdk/server/grpc";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NuncioError } from "../../../shared/errors.js";
import type { JsonObject } from "../../../shared/json.js";
import { agentCard } from "./card-v1.js";
import * as v1 from "./messages-v1.js";
import { peekText } from "./peek.js";
import { readMessage } from "./read.js";
import type { MessageTable } from "./table.js";
import { writeMessage } from "./write.js";

const word = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 });
const flat = fc.oneof(
  fc.string(),
  fc.boolean(),
  fc.constant(null),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const { any, struct } = fc.letrec<{ any: unknown; struct: object }>((tie) => ({
  any: fc.oneof({ maxDepth: 3 }, flat, fc.array(tie("any"), { maxLength: 3 }), tie("struct")),
  struct: fc.dictionary(
    fc.string().filter((key) => key !== "__proto__"),
    tie("any"),
    { maxKeys: 3, noNullPrototype: true },
  ),
}));
const some = <T>(model: Record<string, fc.Arbitrary<T>>) =>
  fc.record(model, { requiredKeys: [], noNullPrototype: true });
const words = fc.array(word, { minLength: 1, maxLength: 3 });
const time = fc
  .date({ min: new Date("0001-01-01T00:00:00Z"), max: new Date("9999-12-31T00:00:00Z"), noInvalidDate: true })
  .map((date) => date.toISOString());
const part = fc
  .tuple(
    fc.oneof(
      fc.record({ text: fc.string({ unit: "grapheme" }) }),
      fc.record({ raw: fc.uint8Array().map((bytes) => Buffer.from(bytes).toString("base64")) }),
      fc.record({ url: fc.string() }),
      // The JSON of the SDK has no `data: null`; that is a test of its own below.
      fc.record({ data: any.filter((data) => data !== null) }),
    ),
    some<unknown>({ metadata: struct, filename: word, mediaType: word }),
  )
  .map(([content, rest]) => ({ ...content, ...rest }));
const message = fc
  .tuple(
    fc.record({
      messageId: word,
      role: fc.constantFrom("ROLE_USER", "ROLE_AGENT"),
      parts: fc.array(part, { minLength: 1, maxLength: 3 }),
    }),
    some<unknown>({ contextId: word, taskId: word, metadata: struct, extensions: words, referenceTaskIds: words }),
  )
  .map(([head, rest]) => ({ ...head, ...rest }));
const status = fc
  .tuple(
    fc.record({ state: fc.constantFrom(...v1.TASK_STATES.numbers.keys()), timestamp: time }),
    some<unknown>({ message }),
  )
  .map(([head, rest]) => ({ ...head, ...rest }));
const artifact = fc
  .tuple(
    fc.record({ artifactId: word, parts: fc.array(part, { minLength: 1, maxLength: 2 }) }),
    some<unknown>({ name: word, description: word, metadata: struct, extensions: words }),
  )
  .map(([head, rest]) => ({ ...head, ...rest }));
const task = fc
  .tuple(
    fc.record({ id: word, contextId: word, status }),
    some<unknown>({
      artifacts: fc.array(artifact, { minLength: 1, maxLength: 2 }),
      history: fc.array(message, { minLength: 1, maxLength: 2 }),
      metadata: struct,
    }),
  )
  .map(([head, rest]) => ({ ...head, ...rest }));
const request = fc
  .tuple(
    fc.record({ message }),
    some<unknown>({
      tenant: word,
      metadata: struct,
      configuration: some<unknown>({
        acceptedOutputModes: words,
        historyLength: fc.integer({ min: 0, max: 0x7fffffff }),
        returnImmediately: fc.constant(true),
        taskPushNotificationConfig: some<unknown>({
          url: word,
          token: word,
          authentication: fc.record({ scheme: word, credentials: word }),
        }),
      }),
    }),
  )
  .map(([head, rest]) => ({ ...head, ...rest }));
const update = fc.oneof(
  fc.record({ statusUpdate: fc.record({ taskId: word, contextId: word, status }) }),
  fc.record({
    artifactUpdate: fc
      .tuple(
        fc.record({ taskId: word, contextId: word, artifact }),
        some({ append: fc.constant(true), lastChunk: fc.constant(true) }),
      )
      .map(([head, rest]) => ({ ...head, ...rest })),
  }),
  fc.record({ task }),
  fc.record({ message }),
);

/** As JSON has it: `-0` is 0, and keys have no prototype to compare. */
const plain = (value: unknown) => JSON.parse(JSON.stringify(value));

const RUNS = { numRuns: 200 };

describe("protocol buffers of 1.0, against the codec of the official SDK", () => {
  it("E20 reads what the SDK has written", () => {
    fc.assert(
      fc.property(request, (json) => {
        const bytes = A2AService.sendMessage.requestSerialize(SendMessageRequest.fromJSON(json));
        expect(plain(readMessage(v1.sendMessageRequest, bytes))).toEqual(plain(json));
      }),
      RUNS,
    );
  });

  it("E20 writes what the SDK reads", () => {
    fc.assert(
      fc.property(update, (json) => {
        const bytes = writeMessage(v1.streamResponse, json as JsonObject);
        const read = A2AService.sendStreamingMessage.responseDeserialize(bytes);
        expect(plain(StreamResponse.toJSON(read))).toEqual(plain(StreamResponse.toJSON(StreamResponse.fromJSON(json))));
        expect(plain(readMessage(v1.streamResponse, bytes))).toEqual(plain(times(json)));
      }),
      RUNS,
    );
  });

  it("E20 lists and cards arrive whole", () => {
    const tasks = {
      tasks: [{ id: "t", status: { state: "TASK_STATE_WORKING" } }],
      nextPageToken: "p",
      pageSize: 50,
      totalSize: 7,
    };
    expect(
      ListTasksResponse.toJSON(A2AService.listTasks.responseDeserialize(writeMessage(v1.taskList, tasks))),
    ).toEqual(ListTasksResponse.toJSON(ListTasksResponse.fromJSON(tasks)));
    const bytes = writeMessage(agentCard, CARD);
    expect(AgentCard.toJSON(A2AService.getExtendedAgentCard.responseDeserialize(bytes))).toEqual(
      AgentCard.toJSON(AgentCard.fromJSON(CARD)),
    );
    expect(readMessage(agentCard, bytes)).toEqual(CARD);
  });
});

/** `toISOString` always has three digits of a second, ProtoJSON only those that say something. */
function times(json: unknown): unknown {
  return JSON.parse(JSON.stringify(json), (key, value) =>
    key === "timestamp" ? String(value).replace(".000Z", "Z") : value,
  );
}

const CARD: JsonObject = {
  name: "echo",
  description: "says it again",
  supportedInterfaces: [{ url: "h:1", protocolBinding: "GRPC", tenant: "default/echo", protocolVersion: "1.0" }],
  provider: { url: "https://p.example", organization: "P" },
  version: "1.2.3",
  documentationUrl: "https://d.example",
  capabilities: {
    streaming: true,
    pushNotifications: false,
    extensions: [{ uri: "u:x", description: "x", required: true, params: { a: [1, null] } }],
    extendedAgentCard: true,
  },
  securitySchemes: {
    key: { apiKeySecurityScheme: { description: "d", location: "header", name: "x-key" } },
    bearer: { httpAuthSecurityScheme: { description: "d", scheme: "Bearer", bearerFormat: "JWT" } },
    oauth: {
      oauth2SecurityScheme: {
        description: "d",
        flows: {
          authorizationCode: {
            authorizationUrl: "a",
            tokenUrl: "t",
            refreshUrl: "r",
            scopes: { s: "S" },
            pkceRequired: true,
          },
        },
        oauth2MetadataUrl: "m",
      },
    },
    oidc: { openIdConnectSecurityScheme: { description: "d", openIdConnectUrl: "https://o.example" } },
    mtls: { mtlsSecurityScheme: { description: "d" } },
  },
  securityRequirements: [{ schemes: { bearer: {} } }, { schemes: { oauth: { list: ["s"] } } }, {}],
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [
    {
      id: "s",
      name: "S",
      description: "d",
      tags: ["t"],
      examples: ["e"],
      inputModes: ["text/plain"],
      outputModes: ["text/plain"],
      securityRequirements: [{ schemes: { bearer: {} } }],
    },
  ],
  signatures: [{ protected: "p", signature: "s", header: { kid: "k" } }],
  iconUrl: "https://i.example",
};

/** Bytes of a message, field by field. */
function bytesOf(write: (out: BinaryWriter) => void): Uint8Array {
  const out = new BinaryWriter();
  write(out);
  return out.finish();
}

const refusal = (table: MessageTable, bytes: Uint8Array): NuncioError => {
  try {
    readMessage(table, bytes);
  } catch (error) {
    if (NuncioError.is(error, "invalid_argument")) return error;
    throw error;
  }
  throw new Error("was not refused");
};

const LEN = WireType.LengthDelimited;
const inMessage = (write: (out: BinaryWriter) => void) => (out: BinaryWriter) => {
  write(out.tag(2, LEN).fork());
  out.join();
};
const inPart = (write: (out: BinaryWriter) => void) =>
  inMessage((out) => {
    write(out.tag(5, LEN).fork());
    out.join();
  });

describe("bytes as they may come", () => {
  it("R5 E20 any bytes are read or refused with a path, and nothing else happens", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), request, fc.nat(), fc.nat(), (garbage, json, at, flip) => {
        const valid = writeMessage(v1.sendMessageRequest, json as JsonObject);
        const cut = valid.subarray(0, at % (valid.length + 1));
        const changed = Buffer.from(valid);
        if (changed.length > 0) changed[at % changed.length] = flip % 256;
        for (const bytes of [garbage, cut, changed, Buffer.concat([cut, garbage])]) {
          try {
            readMessage(v1.sendMessageRequest, bytes);
          } catch (error) {
            expect(NuncioError.is(error, "invalid_argument")).toBe(true);
            expect((error as NuncioError).field).not.toBe("");
          }
        }
      }),
      RUNS,
    );
  });

  it.each<[string, (out: BinaryWriter) => void, string, string]>([
    [
      "text that is not UTF-8",
      inPart((out) => out.tag(1, LEN).bytes(Uint8Array.of(0xc3, 0x28))),
      "message.parts[0].text",
      "must be valid UTF-8",
    ],
    [
      "a value without one",
      inPart((out) => out.tag(4, LEN).bytes(new Uint8Array())),
      "message.parts[0].data",
      "must have a value",
    ],
    [
      "a key without a value",
      inPart((out) => {
        out.tag(5, LEN).fork().tag(1, LEN).fork().tag(1, LEN).string("key").join().join();
      }),
      "message.parts[0].metadata",
      "must have a value for every key",
    ],
    [
      "a message that ends too early",
      (out) => out.tag(2, LEN).uint32(50).raw(Uint8Array.of(10)),
      "message",
      "is not a valid protocol buffer SendMessageRequest message",
    ],
    [
      "a field that reaches over the end of its message",
      inMessage((out) => out.tag(1, LEN).uint32(9)),
      "message.messageId",
      "is not a valid protocol buffer SendMessageRequest message",
    ],
    [
      "a tag that there is not",
      (out) => out.raw(Uint8Array.of(7)),
      "SendMessageRequest",
      "is not a valid protocol buffer SendMessageRequest message",
    ],
  ])("R5 refuses %s", (_what, write, field, message) => {
    expect(refusal(v1.sendMessageRequest, bytesOf(write))).toMatchObject({ field, message });
  });

  it("R5 one field is read ahead as the whole would be, or refused", () => {
    fc.assert(
      fc.property(request, fc.uint8Array({ maxLength: 40 }), (json, garbage) => {
        const bytes = writeMessage(v1.sendMessageRequest, json as JsonObject);
        expect(peekText(v1.sendMessageRequest, "tenant", bytes)).toBe((json as { tenant?: string }).tenant ?? "");
        try {
          peekText(v1.sendMessageRequest, "tenant", garbage);
        } catch (error) {
          expect(NuncioError.is(error, "invalid_argument")).toBe(true);
        }
      }),
      RUNS,
    );
    expect(peekText(v1.empty, "tenant", Buffer.of(10, 1, 65))).toBe("");
  });

  it("R5 bounds nesting, of values as of unknown groups", () => {
    let value = bytesOf((out) => out.tag(4, WireType.Varint).bool(true));
    for (let depth = 0; depth < 5_000; depth++) {
      const inner = value;
      value = bytesOf((out) => out.tag(6, LEN).fork().tag(1, LEN).bytes(inner).join());
    }
    const deep = bytesOf(inPart((out) => out.tag(4, LEN).bytes(value)));
    expect(refusal(v1.sendMessageRequest, deep)).toMatchObject({ field: "message.parts[0].data" });
    const groups = bytesOf((out) => {
      for (let at = 0; at < 100_000; at++) out.tag(99, WireType.StartGroup);
    });
    expect(refusal(v1.sendMessageRequest, groups)).toMatchObject({ code: "invalid_argument" });
  });

  it.each([[-62_135_596_801n], [253_402_300_800n], [9_223_372_036_854_775_807n]])(
    "R5 refuses the time %s",
    (seconds) => {
      const bytes = bytesOf((out) => out.tag(7, LEN).fork().tag(1, WireType.Varint).int64(seconds).join());
      expect(refusal(v1.listTasksRequest, bytes)).toMatchObject({ field: "statusTimestampAfter" });
    },
  );

  it("E20 passes over what it does not know, and takes the last of what is there twice", () => {
    const bytes = bytesOf(
      inPart((out) => {
        out.tag(77, WireType.Bit32).fixed32(1);
        out.tag(1, LEN).string("first");
        out.tag(3, LEN).string("https://second.example");
        // The wrong wire type makes it an unknown field.
        out.tag(6, WireType.Varint).int32(1);
      }),
    );
    expect(readMessage(v1.sendMessageRequest, bytes)).toEqual({
      message: { parts: [{ url: "https://second.example" }] },
    });
  });

  it("E20 puts the two halves of a message together", () => {
    const half = (number: number, text: string) => inMessage((out) => out.tag(number, LEN).string(text));
    const bytes = bytesOf((out) => {
      half(1, "id")(out);
      half(2, "context")(out);
    });
    expect(readMessage(v1.sendMessageRequest, bytes)).toEqual({ message: { messageId: "id", contextId: "context" } });
  });

  it("E20 tells an empty text from none, and no history from no wish", () => {
    const json = { message: { parts: [{ text: "" }] }, configuration: { historyLength: 0 } };
    expect(readMessage(v1.sendMessageRequest, writeMessage(v1.sendMessageRequest, json))).toEqual(json);
    expect(
      readMessage(v1.sendMessageRequest, writeMessage(v1.sendMessageRequest, { message: { parts: [{ data: null }] } })),
    ).toEqual({
      message: { parts: [{ data: null }] },
    });
  });

  it("E20 leaves roles and states that there are not as numbers, for the operation to refuse", () => {
    expect(Role.ROLE_AGENT).toBe(2);
    const bytes = bytesOf(inMessage((out) => out.tag(4, WireType.Varint).int32(3)));
    expect(readMessage(v1.sendMessageRequest, bytes)).toEqual({ message: { role: 3 } });
    const unspecified = bytesOf(inMessage((out) => out.tag(4, WireType.Varint).int32(0)));
    expect(readMessage(v1.sendMessageRequest, unspecified)).toEqual({ message: {} });
  });

  it("R5 takes __proto__ for a key like any other", () => {
    const metadata = JSON.parse('{"__proto__":{"polluted":true}}') as JsonObject;
    const read = readMessage(v1.task, writeMessage(v1.task, { id: "t", metadata }));
    expect(JSON.stringify(read.metadata)).toBe('{"__proto__":{"polluted":true}}');
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect((read.metadata as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it("keeps nanoseconds", () => {
    for (const timestamp of [
      "2026-11-30T08:00:00Z",
      "2026-11-30T08:00:00.120Z",
      "2026-11-30T08:00:00.000001Z",
      "1969-12-31T23:59:59.999999999Z",
    ]) {
      const json = { status: { timestamp } };
      expect(readMessage(v1.task, writeMessage(v1.task, json))).toEqual(json);
    }
  });

  it("throws when it is to write what it has no number for: a fault of ours", () => {
    expect(() => writeMessage(v1.task, { status: { state: "TASK_STATE_DREAMING" } })).toThrow("no number");
    expect(Task.fromJSON({}).id).toBe("");
  });
});
