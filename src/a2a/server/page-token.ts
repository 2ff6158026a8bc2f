import { createHash } from "node:crypto";
import { invalidArgument } from "../../shared/errors.js";
import type { ListPosition } from "../../tasks/ledger.js";

/*
 * A token for the next page is the position behind the last task that was shown, and a digest of the list that it belongs
 * to: whose tasks, of which agent, by which filters. It is no secret and grants nothing: with each call is decided anew
 * what is listed.
 */

const TIME_BYTES = 6;
const ID_BYTES = 16;
const DIGEST_BYTES = 12;
const LENGTH = TIME_BYTES + ID_BYTES + DIGEST_BYTES;

/** @param list what tells this list from others, as text */
export function writePageToken({ statusAt, id }: ListPosition, list: string): string {
  const bytes = Buffer.alloc(LENGTH);
  bytes.writeUIntBE(statusAt, 0, TIME_BYTES);
  Buffer.from(id.replaceAll("-", ""), "hex").copy(bytes, TIME_BYTES);
  digestOf(list).copy(bytes, TIME_BYTES + ID_BYTES);
  return bytes.toString("base64url");
}

export function readPageToken(token: string, list: string): ListPosition {
  const bytes = Buffer.from(token, "base64url");
  if (bytes.length !== LENGTH || bytes.toString("base64url") !== token) {
    throw refused("is not one that a list has returned");
  }
  if (!bytes.subarray(TIME_BYTES + ID_BYTES).equals(digestOf(list))) {
    throw refused("belongs to a list with other filters, or of another caller");
  }
  const hex = bytes.toString("hex", TIME_BYTES, TIME_BYTES + ID_BYTES);
  const id = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  return { statusAt: bytes.readUIntBE(0, TIME_BYTES), id };
}

const digestOf = (list: string): Buffer => createHash("sha256").update(list).digest().subarray(0, DIGEST_BYTES);

const refused = (why: string) =>
  invalidArgument("pageToken", why, { hint: "leave it out to begin with the first page" });
