import { expect, it } from "vitest";
import { controlSocketPath } from "./control-socket.js";

it("puts the socket into the data directory", () => {
  expect(controlSocketPath("/var/lib/nuncio")).toBe("/var/lib/nuncio/control.sock");
});

it("says that a path is too long for the system, counted in bytes, and what to do", () => {
  // 50 characters of two bytes each: few enough as characters.
  expect(() => controlSocketPath(`/${"ä".repeat(50)}`)).toThrow(
    expect.objectContaining({
      code: "invalid_argument",
      field: "dataDir",
      hint: expect.stringContaining("shorter dataDir"),
    }),
  );
});
