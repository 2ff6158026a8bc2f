import { existsSync } from "node:fs";
import { addCardKey, kidOf } from "../../../config/card-key-file.js";
import { NuncioError } from "../../../shared/errors.js";
import type { CliCommand } from "../../cli.js";
import { signingKeyFileOf } from "../../data-dir.js";

interface Options {
  rotate?: boolean;
}

export const command: CliCommand<Options> = {
  describe(command) {
    command
      .option("--rotate", "put a new key in the place of the one that signs")
      .addHelpText(
        "after",
        "\nThe file is that of cards.signingKeyFile. The earlier keys stay in it without their private parts,\n" +
          "so that what they have signed can still be verified.",
      );
  },
  async run({ options: { rotate = false }, cli: { out, configFile, env } }) {
    const file = await signingKeyFileOf(configFile, env);
    if (file === null) {
      throw new NuncioError("failed_precondition", `${configFile} names no file for the key`, {
        field: "cards.signingKeyFile",
        hint: "add cards: { signingKeyFile: keys/card.pem }",
      });
    }
    if (existsSync(file) && !rotate) {
      throw new NuncioError("conflict", `${file} is there already`, { hint: "use --rotate to change the key in it" });
    }
    const { signing, published } = addCardKey(file);
    const kid = kidOf(signing);
    out.result({ file, kid, published: published.map(kidOf) }, () => kid);
    out.note(`${file}: cards are signed with this key from the next start or reload on`);
    out.next("nuncio reload", "to sign with it now");
    return undefined;
  },
};
