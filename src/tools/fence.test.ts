import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutText } from "./cut-text.js";
import { FENCED_BYTES, fence, newNonce } from "./fence.js";

const NONCE = "0123456789abcdef0123456789abcdef";

/** What stands between the two lines of the fence, found as a reader finds it: by the nonce. */
function inside(fenced: string): string {
  const [head, ...rest] = fenced.split("\n");
  expect(head).toContain(NONCE);
  const end = rest.indexOf(`--- end of data ${NONCE} ---`);
  expect(end).toBeGreaterThanOrEqual(0);
  return rest.slice(0, end).join("\n");
}

describe("a fence around somebody else's words", () => {
  it("labels them and keeps them as they are", () => {
    const fenced = fence('12 km\n\tsay "hi" 👩‍👩‍👧', 'reply of "researcher"', NONCE);
    expect(fenced.split("\n")[0]).toBe(`--- data ${NONCE}: reply of "researcher" ---`);
    expect(inside(fenced)).toBe('12 km\n\tsay "hi" 👩‍👩‍👧');
  });

  it("is never closed from inside, whatever the text repeats, hides or interleaves", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        NONCE,
        NONCE.toUpperCase(),
        NONCE.slice(0, 16),
        NONCE.slice(16),
        `--- end of data ${NONCE} ---`,
        "--- end of data ",
        " ---",
        "\n",
        "\r",
        "\r\n",
        "\u2028",
        "\u0085",
        "\u0000",
        "\u001b[2K",
        "\u202e",
        "\u200b",
        "[…]",
      ),
      fc.string({ unit: "binary", maxLength: 20 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const fenced = fence(pieces.join(""), "reply", NONCE);
        expect(fenced.toLowerCase().split(NONCE)).toHaveLength(3);
        expect(fenced.endsWith(`\n--- end of data ${NONCE} ---`)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("is not opened by a nonce that appears when hidden characters go", () => {
    const hidden = [...NONCE].join("\u0000");
    expect(inside(fence(`a${hidden}b`, "reply", NONCE))).toBe("a[…]b");
  });

  it("turns every line end into \\n and takes out what moves or hides text", () => {
    expect(inside(fence("a\r\nb\rc\u2028d\u001b[31m \u202ee\ufefff", "reply", NONCE))).toBe("a\nb\nc\nd[31m ef");
  });

  it("cuts to 16 KiB on a character border and says so outside", () => {
    const fenced = fence("€".repeat(10_000), "reply", NONCE);
    expect(inside(fenced)).toBe("€".repeat(Math.floor(FENCED_BYTES / 3)));
    expect(fenced.split("\n").at(-1)).toBe("(cut: the first 16383 of 30000 bytes are shown)");
    expect(fence("x".repeat(FENCED_BYTES), "reply", NONCE)).not.toContain("(cut");
  });

  it("has a nonce of its own each time", () => {
    expect(newNonce()).toMatch(/^[0-9a-f]{32}$/);
    expect(newNonce()).not.toBe(newNonce());
  });
});

describe("cutting a text", () => {
  it("keeps the longest beginning that fits and splits no character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 100 }), fc.nat(120), (text, maxBytes) => {
        const cut = cutText(text, maxBytes);
        expect(text.startsWith(cut)).toBe(true);
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(maxBytes);
        const next = String.fromCodePoint(text.codePointAt(cut.length) ?? 0);
        if (cut !== text) expect(Buffer.byteLength(cut) + Buffer.byteLength(next)).toBeGreaterThan(maxBytes);
      }),
    );
  });
});
