import { statSync } from "node:fs";
import { NuncioError } from "../../shared/errors.js";
import { fileRefusal } from "./file-refusal.js";

/** What is named as a backup must be one file, which nobody writes to. */
export function refuseBackupFile(from: string): void {
  const source = statSync(from, { throwIfNoEntry: false });
  if (source === undefined) throw fileRefusal({ code: "ENOENT" }, from);
  if (!source.isFile()) {
    throw new NuncioError("failed_precondition", `${from} is not a regular file`, {
      hint: "name the file that `nuncio db backup` wrote",
    });
  }
  const log = statSync(`${from}-wal`, { throwIfNoEntry: false });
  if (log !== undefined && log.size > 0) {
    throw new NuncioError("failed_precondition", `${from} is in use, or was not closed: ${from}-wal belongs to it`, {
      hint: "it is not what `nuncio db backup` writes; make a backup of it first",
    });
  }
}

export const damagedBackup = (from: string, damage: string): NuncioError =>
  new NuncioError("failed_precondition", `${from} is damaged: ${damage}`, {
    reason: "LEDGER_DAMAGED",
    hint: "use another backup",
  });
