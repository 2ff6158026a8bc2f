import { describe, expect, it } from "vitest";
import { invalidArgument, NuncioError } from "../../../shared/errors.js";
import { toJsonRpcFailure } from "./json-rpc.js";
import { isOurFault } from "./table.js";

const failure = (error: unknown) => {
  const { status, body } = toJsonRpcFailure(error, 7);
  return { status, ...body.error, id: body.id };
};

const BY_REASON: [string, number, number][] = [
  ["TASK_NOT_FOUND", -32001, 200],
  ["TASK_NOT_CANCELABLE", -32002, 200],
  ["PUSH_NOTIFICATION_NOT_SUPPORTED", -32003, 200],
  ["UNSUPPORTED_OPERATION", -32004, 200],
  ["CONTENT_TYPE_NOT_SUPPORTED", -32005, 415],
  ["EXTENDED_AGENT_CARD_NOT_CONFIGURED", -32007, 200],
  ["VERSION_NOT_SUPPORTED", -32009, 200],
  ["PARSE_ERROR", -32700, 200],
  ["INVALID_REQUEST", -32600, 200],
  ["METHOD_NOT_FOUND", -32601, 200],
  ["MESSAGE_ID_CONFLICT", -32602, 200],
  ["BODY_TOO_LARGE", -32600, 413],
];

describe("errors of the JSON-RPC binding", () => {
  it.each(BY_REASON)("%s is %i with status %i", (reason, code, status) => {
    const wire = failure(new NuncioError("unsupported", "no", { reason }));
    expect(wire).toMatchObject({ code, status, id: 7 });
    expect(wire.data).toContainEqual(
      expect.objectContaining({ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason }),
    );
  });

  it.each([
    ["invalid_argument", -32602, 200],
    ["not_found", -32001, 200],
    ["conflict", -32602, 200],
    ["failed_precondition", -32004, 200],
    ["unsupported", -32004, 200],
    ["unauthenticated", -32000, 401],
    ["permission_denied", -32000, 403],
    ["limit_reached", -32000, 429],
    ["unavailable", -32603, 503],
    ["lease_lost", -32603, 500],
    ["internal", -32603, 500],
  ] as const)("a reason that the table does not know falls back to its kind: %s", (kind, code, status) => {
    expect(failure(new NuncioError(kind, "no", { reason: "TASK_ENDED" }))).toMatchObject({ code, status });
  });

  it("names the field, in the sentence and for machines", () => {
    const { message, data } = failure(invalidArgument("message.parts", "must have at least one part"));
    expect(message).toBe("Invalid parameters: message.parts must have at least one part");
    expect(data[0]).toEqual({
      "@type": "type.googleapis.com/google.rpc.BadRequest",
      fieldViolations: [{ field: "message.parts", description: "must have at least one part" }],
    });
  });

  it("says when to try again", () => {
    expect(failure(new NuncioError("unavailable", "the queue is full")).data).toContainEqual({
      "@type": "type.googleapis.com/google.rpc.RetryInfo",
      retryDelay: "1s",
    });
  });

  it("R7 says nothing of faults of ours", () => {
    for (const error of [
      new Error("SELECT secret FROM keys"),
      "text",
      null,
      new NuncioError("internal", "at /srv/secret", { details: { path: "/srv/secret" } }),
    ]) {
      const wire = failure(error);
      expect(wire).toMatchObject({ code: -32603, status: 500, message: "Internal error" });
      expect(JSON.stringify(wire)).not.toContain("secret");
      expect(isOurFault(error)).toBe(true);
    }
    expect(isOurFault(new NuncioError("unavailable", "full"))).toBe(false);
  });
});
