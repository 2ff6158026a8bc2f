import { createHash } from "node:crypto";
import { v7 } from "uuid";

/** A new id that sorts by creation (UUID version 7): tasks, contexts, keys, workers. */
export const newId = (): string => v7();

/**
 * The id of a child that a recorded step of a run creates: the same step gives the same id in every later attempt, so
 * a submission that is repeated after a crash finds the child that is already there.
 *
 * A UUID version 8 with the layout of version 7: the first 48 bits are `at`, the time recorded for the step, so that
 * derived ids sort by creation among the others; the rest is a hash.
 *
 * @param at milliseconds since the epoch, as recorded with the step (not the time of the repetition)
 */
export function derivedId(parentId: string, step: string, at: number): string {
  const hash = createHash("sha256").update(parentId).update("\0").update(step).digest();
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(at, 0, 6);
  hash.copy(bytes, 6, 0, 10);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
