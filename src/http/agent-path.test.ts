import { describe, expect, it } from "vitest";
import { agentAt } from "./agent-path.js";

describe("the path of an agent's endpoint", () => {
  it.each([
    ["/v1/agents/echo/a2a", "default", "echo"],
    ["/v1/agents/echo/a2a/", "default", "echo"],
    ["/v1/agents/echo/a2a?A2A-Version=1.0", "default", "echo"],
    ["/v1/agents/echo/a2a/?x=%ff", "default", "echo"],
    ["/v1/agents/%65cho/a2a", "default", "echo"],
    ["/v1/tenants/acme/agents/echo/a2a", "acme", "echo"],
  ])("E1 %s", (target, tenant, name) => {
    expect(agentAt(target)).toEqual({ tenant, name });
  });

  it.each([
    "/",
    "/v1/agents/echo",
    "/v1/agents//a2a",
    "/v1/agents/echo/a2a/x",
    "/v1/agents/echo/a2ax",
    "/v1/agents/a/b/a2a",
    "/V1/agents/echo/a2a",
    "/v1/agents/%ff/a2a",
    "/v1/tenants//agents/echo/a2a",
    "/x?/v1/agents/echo/a2a",
    "http://host/v1/agents/echo/a2a",
    "*",
  ])("is no other: %s", (target) => {
    expect(agentAt(target)).toBeNull();
  });

  it("an escaped slash is no slash", () => {
    expect(agentAt("/v1/agents/a%2Fb/a2a")).toEqual({ tenant: "default", name: "a%2Fb" });
  });
});
