import type { Json } from "../shapes/check.js";
import { shapesOf } from "../shapes/shape.js";
import { decode } from "./decode.js";

/** `google.rpc.Status` and the details that the errors of A2A use. */
const RPC = shapesOf({
  enums: {},
  shapes: {
    Status: { code: "1 int32", message: "2 string", details: "3 Any[]" },
    Any: { typeUrl: "1 string!", value: "2 bytes" },
    ErrorInfo: { reason: "1 string!", domain: "2 string!", metadata: "3 string{}" },
    BadRequest: { fieldViolations: "1 FieldViolation[]" },
    FieldViolation: {
      field: "1 string",
      description: "2 string",
      reason: "3 string",
      localizedMessage: "4 Struct",
    },
    RetryInfo: { retryDelay: "1 Duration" },
    Duration: { seconds: "1 int32", nanos: "2 int32" },
    RequestInfo: { requestId: "1 string", servingData: "2 string" },
  },
});

/** What the trailer `grpc-status-details-bin` says: code, message, and the details as JSON spells them. */
export function readStatus(bytes: Buffer): { code: number; message: string; details: Json[] } {
  const { code = 0, message = "", details = [] } = decode(RPC, "Status", bytes);
  return {
    code: code as number,
    message: message as string,
    details: (details as { typeUrl: string; value?: string }[]).map(({ typeUrl, value = "" }) => ({
      "@type": typeUrl,
      ...decode(RPC, typeUrl.replace(/^.*google\.rpc\./, ""), Buffer.from(value, "base64")),
    })),
  };
}
