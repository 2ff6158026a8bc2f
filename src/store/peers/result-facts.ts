import type { DispatchResult } from "../../peers/dispatch.js";

/** What a receipt says of a result: digests and sizes, never the words of the peer. */
export const resultFacts = (result: DispatchResult | null): Record<string, unknown> =>
  result === null
    ? {}
    : {
        artifacts: result.artifacts.map(({ digest, bytes, parts }) => ({ digest, bytes, parts: parts.length })),
        leftOut: result.leftOut.length,
      };
