import { milliseconds, object } from "../fields.js";

export const approvals = object({
  /** What the operator has not decided after this time is refused. */
  expireAfterMs: milliseconds(1000, 31_536_000_000).default(86_400_000),
});
