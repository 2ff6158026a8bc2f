import { describe, expect, it } from "vitest";
import { invalidArgument, NuncioError } from "../../../shared/errors.js";
import { toRestFailure, toRestFailureV03 } from "./rest.js";

/** reason, statuses of 1.0.1 and of 1.0.0, code of 0.3 */
const TABLE: [string, [number, string], [number, string], number][] = [
  ["TASK_NOT_FOUND", [404, "NOT_FOUND"], [404, "NOT_FOUND"], -32001],
  ["TASK_NOT_CANCELABLE", [400, "FAILED_PRECONDITION"], [409, "FAILED_PRECONDITION"], -32002],
  ["PUSH_NOTIFICATION_NOT_SUPPORTED", [400, "FAILED_PRECONDITION"], [400, "UNIMPLEMENTED"], -32003],
  ["UNSUPPORTED_OPERATION", [400, "FAILED_PRECONDITION"], [400, "UNIMPLEMENTED"], -32004],
  ["CONTENT_TYPE_NOT_SUPPORTED", [400, "INVALID_ARGUMENT"], [415, "INVALID_ARGUMENT"], -32005],
  ["EXTENDED_AGENT_CARD_NOT_CONFIGURED", [400, "FAILED_PRECONDITION"], [400, "FAILED_PRECONDITION"], -32007],
  ["EXTENSION_SUPPORT_REQUIRED", [400, "FAILED_PRECONDITION"], [400, "FAILED_PRECONDITION"], -32008],
  ["VERSION_NOT_SUPPORTED", [400, "FAILED_PRECONDITION"], [400, "UNIMPLEMENTED"], -32009],
  ["MESSAGE_ID_CONFLICT", [409, "ALREADY_EXISTS"], [409, "ALREADY_EXISTS"], -32602],
  ["PARSE_ERROR", [400, "INVALID_ARGUMENT"], [400, "INVALID_ARGUMENT"], -32700],
  ["BODY_TOO_LARGE", [413, "RESOURCE_EXHAUSTED"], [413, "RESOURCE_EXHAUSTED"], -32600],
  ["PATH_NOT_FOUND", [404, "NOT_FOUND"], [404, "NOT_FOUND"], -32601],
  ["METHOD_NOT_ALLOWED", [405, "UNIMPLEMENTED"], [405, "UNIMPLEMENTED"], -32601],
];

describe("errors of the REST binding", () => {
  it.each(TABLE)("%s is %j, was %j, and is %i in 0.3", (reason, [now, word], [then, wordThen], code) => {
    const error = new NuncioError("unsupported", "no", { reason });
    const info = expect.objectContaining({ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason });
    const details = expect.arrayContaining([info]);
    expect(toRestFailure(error, "1.0.1")).toEqual({
      status: now,
      body: { error: { code: now, status: word, message: "No", details } },
    });
    expect(toRestFailure(error, "before")).toEqual({
      status: then,
      body: { error: { code: then, status: wordThen, message: "No", details } },
    });
    expect(toRestFailureV03(error)).toEqual({ status: then, body: { code, message: "No", data: details } });
  });

  it("names the field", () => {
    expect(toRestFailure(invalidArgument("pageSize", "must be less"), "1.0.1").body).toMatchObject({
      error: {
        message: "Invalid parameters: pageSize must be less",
        details: [{ fieldViolations: [{ field: "pageSize", description: "must be less" }] }, {}],
      },
    });
  });

  it("R7 says nothing of faults of ours", () => {
    for (const failure of [toRestFailure(new Error("secret"), "1.0.1"), toRestFailureV03(new Error("secret"))]) {
      expect(failure.status).toBe(500);
      expect(JSON.stringify(failure)).not.toContain("secret");
    }
  });
});
