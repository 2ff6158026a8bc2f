import type { Sealer } from "../access/sealing/sealer.js";
import type { GrantStore } from "../plans/grant.js";
import type { Granting, GrantingParts } from "../plans/granting.js";
import type { Clock } from "../shared/clock.js";
import type { QueueRoom } from "../store/ledger/queue-room.js";
import type { Database } from "../store/sql-ledger.js";

export interface GrantsParts {
  database: Database;
  /** Of the ledger on the same database. */
  room: QueueRoom;
  clock: Clock;
  sealer: Sealer;
  pinnedWith: GrantingParts["pinnedWith"];
}

/** Loaded when somebody is let in, or asks who is. */
export interface Grants {
  store(): Promise<GrantStore>;
  desk(): Promise<Granting>;
}

export function composeGrants({ database, room, clock, sealer, pinnedWith }: GrantsParts): Grants {
  const store = async () => (await import("../store/grants/grant-store.js")).sqlGrantStore(database, room);
  return {
    store,
    async desk() {
      const { Granting } = await import("../plans/granting.js");
      const { readPeerCredential } = await import("../access/credentials/credential-file.js");
      return new Granting({
        ...{ store: await store(), clock, pinnedWith },
        digestOf: (file, peer) => readPeerCredential(file, peer, { sealer }).digest,
      });
    },
  };
}
