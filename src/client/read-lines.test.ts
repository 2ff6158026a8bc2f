import { expect, it } from "vitest";
import { DaemonGoneError } from "./errors.js";
import { readLines } from "./read-lines.js";

async function* chunksOf(...chunks: Uint8Array[]): AsyncGenerator<Buffer> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

const all = async (stream: AsyncIterable<Buffer>): Promise<unknown[]> => {
  const values: unknown[] = [];
  for await (const value of readLines(stream)) values.push(value);
  return values;
};

it("reads the same values however the bytes are cut, within a character too", async () => {
  const values = [{ text: "naïve 😀\n" }, { n: 1 }, "ü"];
  const bytes = Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(""));
  for (let at = 0; at <= bytes.length; at++) {
    expect(await all(chunksOf(bytes.subarray(0, at), bytes.subarray(at)))).toEqual(values);
  }
  expect(await all(chunksOf(...[...bytes].map((byte) => Uint8Array.of(byte))))).toEqual(values);
});

it("takes a stream that ends within a line for cut off, and not for complete", async () => {
  await expect(all(chunksOf(Buffer.from('{"n":1}\n{"n":')))).rejects.toBeInstanceOf(DaemonGoneError);
});

it("takes a lost connection for a daemon that is gone", async () => {
  const lost = (async function* () {
    yield Buffer.from('{"n":1}\n');
    throw Object.assign(new Error("aborted"), { code: "ECONNRESET" });
  })();
  await expect(all(lost)).rejects.toBeInstanceOf(DaemonGoneError);
});
