import type { Clock } from "../shared/clock.js";
import { invalidArgument, NuncioError, notFound } from "../shared/errors.js";
import { newId } from "../shared/ids.js";
import type { Grant, GrantStore, PeerClient } from "./grant.js";
import { type GrantObject, grantObject } from "./grant-object.js";

/** How long a grant waits for its message, when the operator says nothing else. */
export const GRANT_SECONDS = 7 * 86_400;
/** One that waits for longer is one that was forgotten. */
export const MAX_GRANT_SECONDS = 90 * 86_400;

export interface GrantingParts {
  store: GrantStore;
  clock: Clock;
  /** The digest of the token in a credential file of this peer; throws what is wrong with the file. */
  digestOf(file: string, peer: string): string;
  /** The pinned peer that we show this credential to. */
  pinnedWith(digest: string): string | undefined;
}

export interface GrantWanted {
  assignment: string;
  peer: string;
  /** Absolute path. */
  credentialFile: string;
  tenant: string;
  skill: string;
  peerClient: PeerClient | null;
  expiresInSeconds: number;
}

/** What the operator does with grants. */
export class Granting {
  readonly #parts: GrantingParts;

  constructor(parts: GrantingParts) {
    this.#parts = parts;
  }

  /** @returns what goes into the file of the listener */
  async make(wanted: GrantWanted): Promise<GrantObject> {
    const { store, clock, digestOf, pinnedWith } = this.#parts;
    const { assignment, peer, credentialFile, tenant, skill, peerClient, expiresInSeconds } = wanted;
    if (!credentialFile.startsWith("/")) throw invalidArgument("credentialFile", "must be an absolute path");
    const credentialDigest = digestOf(credentialFile, peer);
    const pinned = pinnedWith(credentialDigest);
    if (pinned !== undefined) throw alreadyPinned(pinned, peer);
    const now = clock.now();
    const grant = await store.make({
      ...{ id: newId(), assignmentId: assignment, peer, interfaceTenant: tenant, skill, peerClient, credentialDigest },
      ...{ createdAt: now, expiresAt: now + expiresInSeconds * 1000 },
    });
    return grantObject(grant, credentialFile);
  }

  list(query: { assignmentId?: string }): Promise<Grant[]> {
    return this.#parts.store.list(query);
  }

  async show(id: string): Promise<Grant> {
    const grant = await this.#parts.store.find(id);
    if (grant === null) throw notFound("grant", id, "`nuncio a2a grants` shows the grants");
    return grant;
  }

  revoke(id: string): Promise<Grant> {
    return this.#parts.store.revoke({ id, now: this.#parts.clock.now() });
  }
}

/** Whoever we call with it has seen it, and could come in with it. */
const alreadyPinned = (pinned: string, peer: string): NuncioError =>
  new NuncioError("conflict", `the credential is the one that we call peer ${pinned} with`, {
    field: "credentialFile",
    reason: "CREDENTIAL_IN_USE",
    hint: `make one for it alone: nuncio a2a credential ${peer} --file FILE`,
  });
