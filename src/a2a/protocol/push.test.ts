import { TaskPushNotificationConfig } from "@a2a-js/sdk";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NuncioError } from "../../shared/errors.js";
import { CODECS } from "./codec.js";
import type { PushConfig } from "./requests.js";

const url = "https://hooks.example/a?b=c";
const whole: PushConfig = { taskId: "t", id: "p", url, token: "tok", schemes: ["Bearer"], credentials: "cred" };
const bare: PushConfig = { taskId: "t", id: "p", url, schemes: [] };

describe("push notification configurations", () => {
  it.each([whole, bare])("E23 of 1.0 are the ProtoJSON of the official codec", (config) => {
    const written = JSON.parse(CODECS["1.0"].push(config));
    expect(TaskPushNotificationConfig.toJSON(TaskPushNotificationConfig.fromJSON(written))).toEqual(written);
    const { taskId, push } = CODECS["1.0"].readCreatePush(written);
    expect({ taskId, id: push.id, ...push.address }).toEqual(config);
  });

  it.each([whole, bare, { ...whole, schemes: ["Basic", "Bearer"] }])(
    "E23 of 0.3 are read as they are written",
    (config) => {
      const written = JSON.parse(CODECS["0.3"].push(config));
      expect(written).toMatchObject({ taskId: "t", pushNotificationConfig: { id: "p", url } });
      const { taskId, push } = CODECS["0.3"].readCreatePush(written);
      expect({ taskId, id: push.id, ...push.address }).toEqual(config);
    },
  );

  it("E23 are listed in pages by 1.0, and all at once by 0.3", () => {
    expect(JSON.parse(CODECS["1.0"].pushes([bare], "next"))).toEqual({
      configs: [{ taskId: "t", id: "p", url }],
      nextPageToken: "next",
    });
    expect(JSON.parse(CODECS["1.0"].pushes([]))).toEqual({ configs: [] });
    expect(JSON.parse(CODECS["0.3"].pushes([bare]))).toEqual([
      { taskId: "t", pushNotificationConfig: { id: "p", url } },
    ]);
    expect([CODECS["1.0"].pushDeleted, CODECS["0.3"].pushDeleted]).toEqual(["{}", "null"]);
  });

  it("E23 are named by the task and an id, which 0.3 may leave out", () => {
    expect(CODECS["1.0"].readPushKey({ taskId: "t", id: "p", tenant: "acme" })).toEqual({
      ...{ taskId: "t", id: "p", interfaceTenant: "acme" },
    });
    expect(CODECS["0.3"].readPushKey({ id: "t", pushNotificationConfigId: "p" })).toEqual({ taskId: "t", id: "p" });
    expect(CODECS["0.3"].readPushKey({ id: "t" })).toEqual({ taskId: "t", id: "t" });
    expect(() => CODECS["1.0"].readPushKey({ taskId: "t" })).toThrow(expect.objectContaining({ field: "id" }));
    expect(CODECS["1.0"].readListPush({ taskId: "t", pageSize: 0, pageToken: "" })).toEqual({ taskId: "t" });
    expect(() => CODECS["1.0"].readListPush({ taskId: "t", pageSize: -1 })).toThrow("must not be negative");
  });

  it.each([
    ["url", { url: "hooks.example" }],
    ["url", { url: "file:///etc/passwd" }],
    ["url", { url: "https://hooks.example/a b" }],
    ["url", { url: "https://hooks.example/ü" }],
    ["url", { url: 7 }],
    ["token", { url, token: "a\nb" }],
    ["token", { url, token: " a" }],
    ["token", { url, token: "\u0000" }],
    ["id", { url, id: "a\tb" }],
    ["authentication", { url, authentication: "Bearer x" }],
    ["authentication.scheme", { url, authentication: { scheme: "" } }],
    ["authentication.scheme", { url, authentication: { scheme: "Bea rer" } }],
    ["authentication.credentials", { url, authentication: { scheme: "Bearer", credentials: "a\r\nb" } }],
  ])("E23 with a wrong %s are refused, and the value is in no error", (field, given) => {
    expect(() => CODECS["1.0"].readCreatePush({ taskId: "t", ...given })).toThrow(
      expect.objectContaining({ code: "invalid_argument", field }),
    );
  });

  it("R5 anything is read or refused with the name of its field, and what is read is fit for a header", () => {
    const anything = fc.record({
      ...{ url: fc.oneof(fc.webUrl(), fc.anything()), id: fc.anything(), token: fc.oneof(fc.string(), fc.anything()) },
      authentication: fc.anything(),
    });
    fc.assert(
      fc.property(anything, fc.constantFrom("1.0" as const, "0.3" as const), (given, version) => {
        const params = version === "1.0" ? { taskId: "t", ...given } : { taskId: "t", pushNotificationConfig: given };
        try {
          const { address } = CODECS[version].readCreatePush(params as Record<string, unknown>).push;
          const sent = new Headers({ token: address.token ?? "", authorization: `${address.schemes[0] ?? "x"} y` });
          expect(sent.get("token")).toBe(address.token ?? "");
        } catch (error) {
          expect(NuncioError.is(error, "invalid_argument")).toBe(true);
        }
      }),
    );
  });
});
