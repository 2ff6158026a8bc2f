import { fromGrpcError } from "@a2a-js/sdk/errors/grpc";
import { Metadata, type ServiceError, status } from "@grpc/grpc-js";
import { describe, expect, it } from "vitest";
import { readDetails } from "../../../../test/support/grpc-details.js";
import { invalidArgument, NuncioError } from "../../../shared/errors.js";
import { toGrpcFailure } from "./grpc.js";
import type { StatusTable } from "./status-table.js";

const refused = (reason: string, code: ConstructorParameters<typeof NuncioError>[0] = "unsupported") =>
  new NuncioError(code, "no", { reason });

describe("errors of the gRPC binding", () => {
  it.each<[string, string, string]>([
    ["TASK_NOT_FOUND", "NOT_FOUND", "NOT_FOUND"],
    ["TASK_NOT_CANCELABLE", "FAILED_PRECONDITION", "FAILED_PRECONDITION"],
    ["PUSH_NOTIFICATION_NOT_SUPPORTED", "FAILED_PRECONDITION", "UNIMPLEMENTED"],
    ["UNSUPPORTED_OPERATION", "FAILED_PRECONDITION", "UNIMPLEMENTED"],
    ["CONTENT_TYPE_NOT_SUPPORTED", "INVALID_ARGUMENT", "INVALID_ARGUMENT"],
    ["EXTENDED_AGENT_CARD_NOT_CONFIGURED", "FAILED_PRECONDITION", "FAILED_PRECONDITION"],
    ["EXTENSION_SUPPORT_REQUIRED", "FAILED_PRECONDITION", "FAILED_PRECONDITION"],
    ["VERSION_NOT_SUPPORTED", "FAILED_PRECONDITION", "UNIMPLEMENTED"],
    ["MESSAGE_ID_CONFLICT", "ALREADY_EXISTS", "ALREADY_EXISTS"],
  ])("E20 %s is %s, and was %s", (reason, now, before) => {
    const codeOf = (statuses: StatusTable) => status[toGrpcFailure(refused(reason), statuses).code];
    expect([codeOf("1.0.1"), codeOf("before")]).toEqual([now, before]);
  });

  it.each<[ConstructorParameters<typeof NuncioError>[0], string]>([
    ["invalid_argument", "INVALID_ARGUMENT"],
    ["not_found", "NOT_FOUND"],
    ["conflict", "ALREADY_EXISTS"],
    ["failed_precondition", "FAILED_PRECONDITION"],
    ["unsupported", "FAILED_PRECONDITION"],
    ["unauthenticated", "UNAUTHENTICATED"],
    ["permission_denied", "PERMISSION_DENIED"],
    ["limit_reached", "RESOURCE_EXHAUSTED"],
    ["unavailable", "UNAVAILABLE"],
    ["lease_lost", "INTERNAL"],
    ["internal", "INTERNAL"],
  ])("E20 an error of the kind %s is %s", (code, expected) => {
    expect(status[toGrpcFailure(new NuncioError(code, "no"), "1.0.1").code]).toBe(expected);
  });

  /** As the official client reads it. */
  function readBySdk(error: unknown) {
    const { code, message, details } = toGrpcFailure(error, "1.0.1");
    const metadata = new Metadata();
    metadata.set("grpc-status-details-bin", details);
    return fromGrpcError(
      Object.assign(new Error(message), { code, details: message, metadata }) as ServiceError,
      "sendMessage",
    );
  }

  it("E14 E20 the official client knows the error by its reason, whatever the status", () => {
    const error = readBySdk(new NuncioError("not_found", "no such task", { details: { taskId: "t" } }));
    expect(error).toMatchObject({ name: "TaskNotFoundError", message: "No such task", metadata: { taskId: "t" } });
  });

  it("E20 fields, facts and the delay are in the details", () => {
    const error = new NuncioError("limit_reached", "too many", {
      field: "message.parts",
      retryable: true,
      details: { retryAfterSeconds: 7, ofYours: 3 },
    });
    expect(readDetails(toGrpcFailure(error, "1.0.1").details)).toEqual({
      code: status.RESOURCE_EXHAUSTED,
      message: "Too many",
      fieldViolations: [{ field: "message.parts", description: "too many" }],
      errorInfo: {
        reason: "RESOURCE_EXHAUSTED",
        domain: "nuncio.dev",
        metadata: { retryAfterSeconds: "7", ofYours: "3" },
      },
      retryDelaySeconds: 7,
    });
  });

  it("R7 E20 says nothing of faults of ours", () => {
    const { code, message, details } = toGrpcFailure(new Error("SELECT secret"), "1.0.1");
    expect({ code, message }).toEqual({ code: status.INTERNAL, message: "Internal error" });
    expect(details.toString("latin1")).not.toContain("secret");
  });

  it("R5 stays far below what headers may hold, and is text in any case", () => {
    const long = `${"x".repeat(298)}\u{1f600}`.repeat(20);
    const { message, details } = toGrpcFailure(
      invalidArgument("\ud800".repeat(9000), long, { details: { a: long, b: long } }),
      "1.0.1",
    );
    expect(() => encodeURI(message)).not.toThrow();
    expect(encodeURI(message).length + details.toString("base64").length).toBeLessThan(8_000);
  });
});
