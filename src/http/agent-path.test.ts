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
    expect(agentAt(target)).toEqual({ agent: { tenant, name }, rest: "" });
  });

  it.each([
    ["/v1/agents/echo/a2a/tasks/4%3A2:cancel?x=1", "tasks/4%3A2:cancel"],
    ["/v1/agents/%65cho/a2a/tasks/%25", "tasks/%25"],
    ["/v1/agents/echo/a2a/.well-known/agent-card.json/", ".well-known/agent-card.json"],
    ["/v1/agents/echo/a2a//", ""],
    ["/v1/agents/echo/a2a/a//b#c", "a//b"],
  ])("says what follows it, as it came: %s", (target, rest) => {
    expect(agentAt(target)).toEqual({ agent: { tenant: "default", name: "echo" }, rest });
  });

  it.each([
    "/",
    "/v1/agents/echo",
    "/v1/agents//a2a",
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
    expect(agentAt("/v1/agents/a%2Fb/a2a")).toEqual({ agent: { tenant: "default", name: "a%2Fb" }, rest: "" });
  });
});
