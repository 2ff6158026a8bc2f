import { createHash, randomFillSync } from "node:crypto";
import type { Clock } from "./clock.js";

/**
 * Ids are UUIDs (RFC 9562). Ours is written here because an id is made several times per request, and asking the
 * system for randomness each time cost more than writing the task: a pool brought 17 µs down to under 1.
 */
const pool = Buffer.allocUnsafe(8192);
let used = pool.length;

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

let clock: Clock = { now: Date.now };
let lastTime = 0;
/** Counts the ids of one millisecond, in the 12 bits behind the time. */
let counter = 0;

/**
 * From here on ids carry this time. Those who share a ledger must share the clock as well: ids say what came before what,
 * in a conversation, in its lane and in lists.
 */
export function makeIdsBy(shared: Clock): void {
  clock = shared;
  // One that was ahead has no say any more.
  lastTime = 0;
}

/** A new id that sorts by creation (UUID version 7): tasks, contexts, keys, workers. Strictly rising in one process. */
export function newId(): string {
  const now = clock.now();
  if (now > lastTime) {
    lastTime = now;
    counter = 0;
  } else if (counter < 0xfff) {
    counter += 1;
  } else {
    // Full, or the clock was set back: we run ahead of it, and still rise.
    lastTime += 1;
    counter = 0;
  }
  if (used + 8 > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const at = used;
  used += 8;
  return layOut(lastTime, 0x7000 | counter, pool, at);
}

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
  return layOut(at, 0x8000 | (hash.readUInt16BE(0) & 0x0fff), hash, 2);
}

/** Sorts before every id that was made at `time` (ms since the epoch) or later, and behind all earlier ones. */
export function firstIdAt(time: number): string {
  const hex = Math.max(0, Math.floor(time)).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/** 48 bits of time, 16 of version and what follows it, and 62 of the 64 that begin at `from`. */
function layOut(time: number, versioned: number, random: Buffer, from: number): string {
  const high = Math.floor(time / 0x10000);
  const byte = (index: number): string => HEX[random[from + index] as number] as string;
  const variant = HEX[((random[from] as number) & 0x3f) | 0x80] as string;
  return (
    `${HEX[(high >>> 24) & 0xff]}${HEX[(high >>> 16) & 0xff]}${HEX[(high >>> 8) & 0xff]}${HEX[high & 0xff]}-` +
    `${HEX[(time >>> 8) & 0xff]}${HEX[time & 0xff]}-${HEX[versioned >>> 8]}${HEX[versioned & 0xff]}-` +
    `${variant}${byte(1)}-${byte(2)}${byte(3)}${byte(4)}${byte(5)}${byte(6)}${byte(7)}`
  );
}
