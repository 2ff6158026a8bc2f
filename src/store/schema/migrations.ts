import { NuncioError } from "../../shared/errors.js";
import { ledger } from "./0001-ledger.js";
import { boundsAndRetention } from "./0002-bounds-and-retention.js";
import { push } from "./0003-push.js";
import { access } from "./0004-access.js";
import { taskList } from "./0005-task-list.js";
import { approvals } from "./0006-approvals.js";
import { plans } from "./0007-plans.js";
import { peers } from "./0008-peers.js";
import { grants } from "./0009-grants.js";

/**
 * In order; a migration that has been released never changes. Its number is the schema version after it. They are
 * written in what both databases understand, but for `WITHOUT ROWID`; each database brings itself up to date, under its
 * own lock.
 */
export const MIGRATIONS: readonly string[] = [
  ...[ledger, boundsAndRetention, push, access, taskList],
  ...[approvals, plans, peers, grants],
];

/** A newer program has written this ledger: what it wrote may mean something that this one does not know. */
export const ledgerTooNew = (version: number, known: number, what = "the ledger"): NuncioError =>
  new NuncioError(
    "failed_precondition",
    `${what} has schema version ${version}, and this program knows only up to ${known}`,
    { reason: "LEDGER_TOO_NEW", hint: "start the newer version of nuncio that wrote it, or restore an older backup" },
  );
