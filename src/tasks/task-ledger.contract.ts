import { describe } from "vitest";
import { announcing } from "./ledger-contract/announcing.contract.js";
import { answering } from "./ledger-contract/answering.contract.js";
import { approvals } from "./ledger-contract/approvals.contract.js";
import { attempts } from "./ledger-contract/attempts.contract.js";
import { queueBounds } from "./ledger-contract/bounds.contract.js";
import { canceling } from "./ledger-contract/canceling.contract.js";
import { claims } from "./ledger-contract/claims.contract.js";
import { deadLetters } from "./ledger-contract/dead-letters.contract.js";
import { delegation } from "./ledger-contract/delegation.contract.js";
import { foreseen } from "./ledger-contract/foreseen.contract.js";
import { interleavings } from "./ledger-contract/interleavings.contract.js";
import { listing } from "./ledger-contract/listing.contract.js";
import { order } from "./ledger-contract/order.contract.js";
import { pushing } from "./ledger-contract/push.contract.js";
import { reading } from "./ledger-contract/reading.contract.js";
import { recovery } from "./ledger-contract/recovery.contract.js";
import { retention } from "./ledger-contract/retention.contract.js";
import { submission } from "./ledger-contract/submission.contract.js";
import { waiting } from "./ledger-contract/waiting.contract.js";
import { ledgerTest, type OpenLedger } from "./ledger-contract/world.contract.js";

/**
 * What every ledger must do, whatever database it stands on: each implementation runs this suite.
 *
 * `open` gives an empty ledger; it is called for each test. Time is a parameter of the commands, so that nothing here waits.
 */
export function describeTaskLedger(name: string, open: OpenLedger): void {
  describe(name, () => {
    const it = ledgerTest(open);
    submission(it);
    claims(it);
    attempts(it);
    order(it);
    waiting(it);
    foreseen(it);
    delegation(it);
    answering(it);
    approvals(it);
    canceling(it);
    recovery(it);
    queueBounds(it);
    deadLetters(it);
    reading(it);
    listing(it);
    retention(it);
    pushing(it);
    announcing(it);
    interleavings(it, open);
  });
}
