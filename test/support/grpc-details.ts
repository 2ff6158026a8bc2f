import { decodeErrorInfo, decodeStatus } from "@a2a-js/sdk/errors/grpc";
import { BinaryReader } from "@bufbuild/protobuf/wire";

/** What `grpc-status-details-bin` holds, read without anything of ours. */
export interface RpcDetails {
  code: number;
  message: string;
  errorInfo?: { reason: string; domain: string; metadata: Record<string, string> };
  fieldViolations?: { field: string; description: string }[];
  retryDelaySeconds?: number;
}

export function readDetails(bytes: Uint8Array): RpcDetails {
  const { code, message, details } = decodeStatus(Buffer.from(bytes));
  const found: RpcDetails = { code, message };
  for (const { typeUrl, value } of details) {
    switch (typeUrl) {
      case "type.googleapis.com/google.rpc.ErrorInfo":
        found.errorInfo = decodeErrorInfo(Buffer.from(value));
        break;
      case "type.googleapis.com/google.rpc.BadRequest":
        found.fieldViolations = [...fieldsOf(value)].map(([, violation]) => {
          const [field, description] = [...fieldsOf(violation)].map(([, text]) => text.toString());
          return { field: field ?? "", description: description ?? "" };
        });
        break;
      case "type.googleapis.com/google.rpc.RetryInfo":
        for (const [, duration] of fieldsOf(value))
          found.retryDelaySeconds = new BinaryReader(duration.subarray(1)).int32();
        break;
      default:
        throw new Error(`${typeUrl} is not expected`);
    }
  }
  return found;
}

/** Of a message that has but fields with a length. */
function* fieldsOf(bytes: Uint8Array): Generator<[number, Buffer]> {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [number] = reader.tag();
    yield [number, Buffer.from(reader.bytes())];
  }
}
