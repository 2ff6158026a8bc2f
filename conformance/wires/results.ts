import { deviates, shown } from "../deviation.js";
import type { Dialect } from "../spelling/dialect.js";
import type { Operation } from "../words.js";
import type { Results } from "./wire.js";

/** The result of an operation that is not a stream, held against its shape. */
export function resultOf<Op extends Operation>(dialect: Dialect, operation: Op, value: unknown): Results[Op] {
  return read(dialect, operation, value) as Results[Op];
}

function read(dialect: Dialect, operation: Operation, value: unknown): unknown {
  switch (operation) {
    case "send":
      return dialect.sent(value);
    case "get":
    case "cancel":
      return dialect.task(value);
    case "list":
      return dialect.page(value);
    case "createPush":
    case "getPush":
      return dialect.push(value);
    case "listPush":
      return dialect.pushes(value);
    case "extendedCard":
      return dialect.card(value);
    case "deletePush":
      return readDeleted(value);
    case "stream":
    case "subscribe":
      throw new Error(`${operation} is a stream`);
  }
}

/** 3.1.10 leaves the confirmation to the server: `google.protobuf.Empty` or, in 0.3, `null` (7.8). */
function readDeleted(value: unknown): null {
  const empty = value === null || value === undefined || (typeof value === "object" && Object.keys(value).length === 0);
  if (!empty) deviates("deleted", `confirms with ${shown(value)}`);
  return null;
}
