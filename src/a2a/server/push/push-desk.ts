import type { Sealer } from "../../../access/sealing/sealer.js";
import type { Outbound } from "../../../outbound/outbound.js";
import { invalidArgument, NuncioError } from "../../../shared/errors.js";
import { newId } from "../../../shared/ids.js";
import type { TaskKey } from "../../../tasks/ledger.js";
import type { NewPush, PushSubscription } from "../../../tasks/push-ledger.js";
import type { PushConfig, PushWish } from "../../protocol/requests.js";
import { openTarget, type PushTarget, sealTarget, shownUrl } from "./target.js";

export interface PushDeskDeps {
  sealer: Sealer;
  outbound: () => Promise<Pick<Outbound, "check">>;
  /** How many a task may have. */
  maxPerTask: number;
}

/** Between what callers wish and what the ledger stores: looks at where it would go, and seals it. */
export class PushDesk {
  readonly #deps: PushDeskDeps;

  constructor(deps: PushDeskDeps) {
    this.#deps = deps;
  }

  get maxPerTask(): number {
    return this.#deps.maxPerTask;
  }

  /**
   * @param bare the caller is answered by a Message
   * @throws NuncioError `invalid_argument` for a URL that may not be opened; it is looked at again each time it is
   */
  async accept({ tenant, taskId }: TaskKey, wish: PushWish, bare = false): Promise<NewPush> {
    const { version, address, field } = wish;
    await this.#check(address.url, `${field}url`);
    // In 0.3 the one without an id is the one that is meant where none is named.
    const id = wish.id ?? (version === "0.3" ? taskId : newId());
    const target: PushTarget = bare ? { ...address, bare } : address;
    const sealed = ofOurs(() => sealTarget(this.#deps.sealer, { tenant, taskId, id }, target));
    return { id, version, origin: new URL(address.url).origin, sealed };
  }

  /** With everything that its owner has told us. */
  show(push: PushSubscription): PushConfig {
    const { bare: _, ...address } = ofOurs(() => openTarget(this.#deps.sealer, push));
    return { taskId: push.taskId, id: push.id, ...address };
  }

  /** Where it leads, for people who may know that there is one; without what may be secret, or only the host. */
  place(push: PushSubscription): string {
    try {
      return shownUrl(openTarget(this.#deps.sealer, push).url);
    } catch {
      return push.origin;
    }
  }

  /** Whether a name is there and where it leads is not for strangers to learn from us: both have one answer. */
  async #check(url: string, field: string): Promise<void> {
    try {
      await (await this.#deps.outbound()).check(url);
    } catch (error) {
      if (!NuncioError.is(error)) throw error;
      const said = SAID[error.reason ?? ""] ?? error.message.replace(/^the URL /, "");
      throw invalidArgument(field, said, { reason: "PUSH_URL_REFUSED", cause: error });
    }
  }
}

/** What is wrong with our keys, and where they are, is none of a caller's business. */
function ofOurs<T>(work: () => T): T {
  try {
    return work();
  } catch (cause) {
    throw new NuncioError("internal", "the secrets of push notifications cannot be read or kept", { cause });
  }
}

const UNFIT = "must lead to a public address";
const SAID: Record<string, string> = {
  OUTBOUND_ADDRESS_REFUSED: UNFIT,
  OUTBOUND_UNRESOLVED: UNFIT,
  OUTBOUND_TIMEOUT: UNFIT,
};
