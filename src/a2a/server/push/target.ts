import type { Sealer } from "../../../access/sealing/sealer.js";
import { type PushKey, pushSealPurpose } from "../../../tasks/push-ledger.js";
import type { PushAddress } from "../../protocol/requests.js";

/** What is secret of a subscription: where it leads, and what proves to the receiver who we are. */
export interface PushTarget extends PushAddress {
  /** The caller is answered by a Message, and shown no task: that Message is all there is to tell. */
  bare?: true;
}

export const sealTarget = (sealer: Sealer, key: PushKey, target: PushTarget): string =>
  sealer.seal(JSON.stringify(target), pushSealPurpose(key));

/** @throws NuncioError when the sealing key is not there, or the text was changed */
export const openTarget = (sealer: Sealer, key: PushKey & { sealed: string }): PushTarget =>
  JSON.parse(sealer.open(key.sealed, pushSealPurpose(key))) as PushTarget;

/** Where it leads, for whoever may know that there is one: what may be secret in a URL is left out. */
export function shownUrl(url: string): string {
  const { origin, pathname, search } = new URL(url);
  return `${origin}${pathname}${search === "" ? "" : "?…"}`;
}
