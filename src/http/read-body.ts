import type { IncomingMessage } from "node:http";
import { NuncioError } from "../shared/errors.js";

/** The reason of the refusal. */
export const BODY_TOO_LARGE = "BODY_TOO_LARGE";

/**
 * Reads the whole body of a request. A body that is declared to be larger than `limit` bytes is refused unread, one that
 * turns out to be larger as soon as it has.
 *
 * Rejects with BODY_TOO_LARGE, or with the error of the connection when that ends first: nobody is left to answer then.
 * A usual body comes in one piece and is passed on as it came.
 */
export function readBody(request: IncomingMessage, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (Number(request.headers["content-length"]) > limit) {
      reject(bodyTooLarge(limit));
      return;
    }
    let first: Buffer | undefined;
    let rest: Buffer[] | undefined;
    let length = 0;
    const take = (chunk: Buffer): void => {
      length += chunk.length;
      if (length > limit) {
        request.off("data", take);
        reject(bodyTooLarge(limit));
      } else if (first === undefined) first = chunk;
      else if (rest === undefined) rest = [chunk];
      else rest.push(chunk);
    };
    request.on("data", take);
    request.on("end", () => {
      const whole = first ?? Buffer.alloc(0);
      resolve(rest === undefined ? whole : Buffer.concat([whole, ...rest], length));
    });
    request.on("error", reject);
  });
}

const bodyTooLarge = (limit: number): NuncioError =>
  new NuncioError("invalid_argument", `the body is larger than ${limit} bytes`, {
    reason: BODY_TOO_LARGE,
    details: { limit },
  });
