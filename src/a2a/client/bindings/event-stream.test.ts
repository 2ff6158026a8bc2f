import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventsOf } from "./event-stream.js";

const streamOf = (chunks: readonly Uint8Array[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
const read = async (chunks: readonly Uint8Array[], maxLength = 1000) => {
  const events: string[] = [];
  for await (const event of eventsOf(streamOf(chunks), maxLength)) events.push(event);
  return events;
};
const bytes = (text: string) => Buffer.from(text);

describe("events of a stream", () => {
  it.each([
    ["one", "data: a\n\n", ["a"]],
    ["without a space", "data:a\n\n", ["a"]],
    ["with more than one space", "data:  a\n\n", [" a"]],
    ["over lines", "data: a\ndata: b\ndata:\ndata\n\n", ["a\nb\n\n"]],
    ["with CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", ["a", "b"]],
    ["with CR", "data: a\r\rdata: b\r\r", ["a", "b"]],
    ["with all of them", "data: a\r\n\ndata: b\r\r\ndata: c\n\r", ["a", "b", "c"]],
    ["between comments and other fields", ": beat\n\nid: 7\nevent: x\nretry: 1\ndata: a\nother\n\n: beat\n\n", ["a"]],
    ["that has not ended", "data: a\n\ndata: b\n", ["a"]],
    ["after a byte order mark", "\ufeffdata: a\n\n", ["a"]],
    ["none", "", []],
  ])("%s", async (_case, text, events) => {
    expect(await read([bytes(text)])).toEqual(events);
  });

  it("are the same wherever the bytes are cut, within a character and a line end too", async () => {
    const text = "data: Köln 😀\r\n\r\n: beat\r\rdata: a\rdata: b\n\ndata: c\r\n\n";
    const whole = bytes(text);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(whole.length), { maxLength: 8 }), async (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), whole.length];
        const chunks = at.slice(1).map((end, i) => whole.subarray(at[i], end));
        expect(await read(chunks)).toEqual(["Köln 😀", "a\nb", "c"]);
      }),
    );
  });

  it("R5 are bounded, with and without an end of the line", async () => {
    const endless = [bytes(`data: ${"x".repeat(600)}`), bytes("x".repeat(600))];
    const many = Array.from({ length: 30 }, () => bytes(`data: ${"x".repeat(50)}\n`));
    for (const chunks of [endless, many]) {
      await expect(read(chunks)).rejects.toMatchObject({ reason: "AGENT_ANSWER_INVALID" });
    }
  });
});
