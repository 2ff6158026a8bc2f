import { expect, it } from "vitest";
import { logLevel } from "./log-level.js";

it.each([
  [undefined, "info"],
  ["", "info"],
  ["debug", "debug"],
  ["silent", "silent"],
])("NUNCIO_LOG_LEVEL %j gives %s", (level, used) => {
  expect(logLevel({ NUNCIO_LOG_LEVEL: level })).toBe(used);
});

it("a word that is no level is refused with those that there are", () => {
  expect(() => logLevel({ NUNCIO_LOG_LEVEL: "loud" })).toThrow(
    expect.objectContaining({ code: "invalid_argument", hint: expect.stringContaining("debug") }),
  );
});
