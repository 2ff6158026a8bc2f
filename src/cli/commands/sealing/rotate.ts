import type { CliCommand } from "../../cli.js";

const HELP = `
Tokens and credentials of push notifications, the keys that agents sign with, and the sealed
credential files that the daemon goes by are sealed anew; then the old keys are dropped.
Interrupted, nothing is lost: run it again. Keep a new copy of the key file: backups that were made before can be
opened only with the old one.`;

export const command: CliCommand = {
  describe(command) {
    command.addHelpText("after", HELP);
  },
  async run({ cli: { out, client } }) {
    out.status("sealing everything anew …");
    const rotated = await (await client()).rotateSealing();
    const { resealed, dropped, unreadable } = rotated;
    out.result(rotated, () => `${resealed} sealed anew with the key ${rotated.key}; ${dropped.length} dropped`);
    if (unreadable > 0) out.note(`${unreadable} cannot be opened by any key: what they held was lost before`);
    out.note("keep a copy of the key file in another place than the backups of the ledger");
    return undefined;
  },
};
