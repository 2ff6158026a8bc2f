import { describe, expect, it } from "vitest";
import { DELEGATION_EXTENSION } from "../protocol/delegation-extension.js";
import { activeExtensions } from "./active-extensions.js";

describe("extensions that a caller asks for", () => {
  it.each<[string | undefined, string | undefined]>([
    [undefined, undefined],
    ["", undefined],
    [",", undefined],
    ["https://example.com/other/v1", undefined],
    [DELEGATION_EXTENSION, DELEGATION_EXTENSION],
    [`https://example.com/other/v1 , ${DELEGATION_EXTENSION}`, DELEGATION_EXTENSION],
    [`${DELEGATION_EXTENSION},${DELEGATION_EXTENSION}`, DELEGATION_EXTENSION],
    [DELEGATION_EXTENSION.replace(/v1$/, "v2"), undefined],
    [`${DELEGATION_EXTENSION}/`, undefined],
  ])("E20 of %s: %s", (asked, active) => {
    expect(activeExtensions(asked)).toBe(active);
  });
});
