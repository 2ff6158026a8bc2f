import { describe, expect, it } from "vitest";
import { type Route, routesAt } from "./routes.js";

const said = ({ layout, tenant, resource: { methods, ...ids } }: Route) => ({
  layout,
  ...(tenant === undefined ? {} : { tenant }),
  methods: Object.entries(methods).map(([method, operation]) => `${method} ${operation}`),
  ...ids,
});

describe("paths below the endpoint of an agent", () => {
  it.each<[string, object]>([
    ["message:send", { methods: ["POST send"] }],
    // cspell:disable-next-line
    ["message%3Asend", { methods: ["POST send"] }],
    ["message:stream", { methods: ["POST stream"] }],
    ["tasks", { methods: ["GET list"] }],
    ["tasks/t1", { methods: ["GET get"], taskId: "t1" }],
    ["tasks/t1:cancel", { methods: ["POST cancel"], taskId: "t1" }],
    ["tasks/t1:subscribe", { methods: ["GET subscribe", "POST subscribe"], taskId: "t1" }],
    ["tasks/t1/pushNotificationConfigs", { methods: ["GET listPush", "POST createPush"], taskId: "t1" }],
    [
      "tasks/t1/pushNotificationConfigs/p",
      { methods: ["GET getPush", "DELETE deletePush"], taskId: "t1", configId: "p" },
    ],
    ["extendedAgentCard", { methods: ["GET extendedCard"] }],
    ["tasks/a%2Fb", { methods: ["GET get"], taskId: "a/b" }],
    // cspell:disable-next-line
    ["tasks/x%3Acancel", { methods: ["GET get"], taskId: "x:cancel" }],
    ["tasks/x:nope", { methods: ["GET get"], taskId: "x:nope" }],
    ["tasks/x:cancel:cancel", { methods: ["POST cancel"], taskId: "x:cancel" }],
    ["tasks/%E4%BB%BB", { methods: ["GET get"], taskId: "任" }],
    ["tasks/tasks", { methods: ["GET get"], taskId: "tasks" }],
  ])("E20 %s", (path, expected) => {
    expect(routesAt(path).map(said)).toEqual([{ layout: "1.0", ...expected }]);
  });

  it("E24 may begin with the interface tenant", () => {
    expect(routesAt("acme/message:send").map(said)).toEqual([
      { layout: "1.0", tenant: "acme", methods: ["POST send"] },
    ]);
    expect(routesAt("a%2Fb/tasks/t:cancel").map(said)).toEqual([
      { layout: "1.0", tenant: "a/b", methods: ["POST cancel"], taskId: "t" },
    ]);
  });

  it("E8 those of 0.3 begin with v1, which may be a tenant as well", () => {
    expect(routesAt("v1/tasks/t").map(said)).toEqual([
      { layout: "0.3", methods: ["GET get"], taskId: "t" },
      { layout: "1.0", tenant: "v1", methods: ["GET get"], taskId: "t" },
    ]);
    expect(routesAt("v1/card").map(said)).toEqual([{ layout: "0.3", methods: ["GET extendedCard"] }]);
    expect(routesAt("v1/extendedAgentCard").map(said)).toEqual([
      { layout: "1.0", tenant: "v1", methods: ["GET extendedCard"] },
    ]);
  });

  it.each([
    "v1",
    "card",
    "message",
    "message:nope",
    "message:send/x",
    "task",
    "tasks/",
    "tasks//pushNotificationConfigs",
    "tasks/t/nope",
    "tasks/t/pushNotificationConfigs/",
    "tasks/t/pushNotificationConfigs/p/q",
    "tasks/t:cancel/pushNotificationConfigs/p/q",
    "a/b/message:send",
    "/message:send",
    "%",
    "tasks/%ff",
    "__proto__",
    "constructor/tasks",
  ])("lead nowhere: %s", (path) => {
    expect(routesAt(path).filter(({ tenant }) => tenant !== "constructor")).toEqual([]);
  });
});
