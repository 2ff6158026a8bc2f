import { describe, expect, it } from "vitest";
import { LastBytes } from "./last-bytes.js";

const lastBytes = (limit: number, ...chunks: (string | Buffer)[]): string => {
  const last = new LastBytes(limit);
  for (const chunk of chunks) last.write(Buffer.from(chunk as string));
  return last.text();
};

describe("LastBytes", () => {
  it("is everything while that fits", () => {
    expect(lastBytes(8, "", "0123", "4567")).toBe("01234567");
  });

  it("is the end of what does not fit, and shows that something is missing", () => {
    expect(lastBytes(4, "01234567")).toBe("…4567");
    expect(lastBytes(4, "012", "345", "6")).toBe("…3456");
  });

  it("does not begin in the middle of a character", () => {
    expect(lastBytes(4, "x🎭y")).toBe("…y");
    expect(lastBytes(2, Buffer.from([0x80, 0x80, 0x80, 0x80]))).toBe("…��");
  });
});
