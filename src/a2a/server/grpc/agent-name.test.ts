import { describe, expect, it } from "vitest";
import { agentNamed } from "./agent-name.js";

describe("how a call names its agent", () => {
  it.each([
    ["acme/front-desk", "acme", "front-desk"],
    ["front-desk", "default", "front-desk"],
    ["default/front-desk", "default", "front-desk"],
    // No tenant and no agent has a slash in its name, so that these are none.
    ["a/b/c", "a", "b/c"],
    ["/front-desk", "", "front-desk"],
    ["acme/", "acme", ""],
  ])("%s", (text, tenant, name) => {
    expect(agentNamed(text)).toEqual({ tenant, name });
  });
});
