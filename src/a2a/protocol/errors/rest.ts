import { detailsJson } from "./details.js";
import { httpStatusOf, rpcStatusOf, type StatusTable } from "./status-table.js";
import { failureOf } from "./table.js";

export interface RestFailure {
  /** Of the HTTP answer. */
  status: number;
  body: object;
}

/** The answer that an error gets in the REST binding of 1.0: the JSON of a `google.rpc.Status` (A2A 1.0, 11.6). */
export function toRestFailure(error: unknown, statuses: StatusTable): RestFailure {
  const failure = failureOf(error);
  const status = httpStatusOf(failure, statuses);
  const word = rpcStatusOf(failure, statuses);
  return {
    status,
    body: { error: { code: status, status: word, message: failure.sentence, details: detailsJson(failure) } },
  };
}

/** In the one of 0.3 it is the object that JSON-RPC has as `error` (A2A 0.3, 7.1): clients go by its code. */
export function toRestFailureV03(error: unknown): RestFailure {
  const failure = failureOf(error);
  const { code } = failure.wire;
  return {
    status: httpStatusOf(failure, "before"),
    body: { code, message: failure.sentence, data: detailsJson(failure) },
  };
}
