import { randomBytes } from "node:crypto";
import { cutText } from "./cut-text.js";

/** As much of somebody else's words as a model is shown in one answer. */
export const FENCED_BYTES = 16 * 1024;

/** Made for one call and recorded with its result: whoever wrote the text cannot have known it. */
export const newNonce = (): string => randomBytes(16).toString("hex");

// Control and format characters, which move or hide text. \n and \t stay, and the two joiners that scripts and emoji need.
const HIDDEN = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}]/gu;
// Halves of characters, which become whole ones when what is hidden between them goes.
const HALVES = /\p{Cs}/gu;
const LINE_ENDS = /\r\n|[\r\u2028\u2029]/g;

/**
 * Somebody else's words as data in a text for a model: labeled with what they are and whose, between two lines that
 * carry the nonce, cut to 16 KiB of UTF-8. The nonce stands nowhere else, so nothing inside can close the fence.
 *
 * @param label e.g. `reply of persona "researcher"`; ours, on one line
 */
export function fence(text: string, label: string, nonce: string): string {
  // Hidden characters go first: without them, what is left could be the nonce.
  const unhidden = text.replace(HALVES, "\ufffd").replace(LINE_ENDS, "\n").replace(HIDDEN, "");
  const visible = unhidden.toLowerCase().includes(nonce) ? unhidden.replace(new RegExp(nonce, "gi"), "[…]") : unhidden;
  const shown = cutText(visible, FENCED_BYTES);
  const end = `--- end of data ${nonce} ---`;
  const notice =
    shown.length === visible.length
      ? ""
      : `\n(cut: the first ${Buffer.byteLength(shown)} of ${Buffer.byteLength(visible)} bytes are shown)`;
  return `--- data ${nonce}: ${label} ---\n${shown}\n${end}${notice}`;
}
