import { describe, expect, it } from "vitest";
import { PROTOCOL_VERSIONS, requestedVersion } from "./version.js";

describe("the version of a request", () => {
  it.each([
    [undefined, "0.3"],
    ["", "0.3"],
    [" ", "0.3"],
    ["0.3", "0.3"],
    ["0.3.0", "0.3"],
    ["1.0", "1.0"],
    ["1.0.1", "1.0"],
    [" 1.0 ", "1.0"],
  ])("%j is %s: the patch number does not count", (value, version) => {
    expect(requestedVersion(value, PROTOCOL_VERSIONS)).toBe(version);
  });

  it.each(["0.2", "0.5", "1.1", "2.0", "1", "1.0.x", "v1.0", "1.0,0.3", "latest", "9".repeat(500)])(
    "%j is not served",
    (value) => {
      expect(() => requestedVersion(value, PROTOCOL_VERSIONS)).toThrow(
        expect.objectContaining({ reason: "VERSION_NOT_SUPPORTED" }),
      );
    },
  );

  it("a version that is switched off is not served, also where nothing is asked", () => {
    expect(() => requestedVersion(undefined, ["1.0"])).toThrow(
      expect.objectContaining({ details: { requestedVersion: "0.3", supportedVersions: "1.0" } }),
    );
  });
});
