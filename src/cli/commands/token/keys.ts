import type { CliCommand } from "../../cli.js";

export const command: CliCommand<{ tenant?: string }> = {
  describe(command) {
    command
      .option("--tenant <tenant>", "tenant of the persona (default: default)")
      .addHelpText(
        "after",
        "\nA JWK set in the form of a SPIFFE bundle: a partner takes it as the file of a trust bundle.\nWithout PERSONA, of all personas that have a key; a persona that is named gets its first one.",
      );
  },
  async run({ args: [persona], options: { tenant }, cli: { out, client } }) {
    const bundle = await (await client()).agentKeys(persona, tenant);
    out.result(bundle, () => JSON.stringify(bundle, null, 2));
    if (bundle.keys.length === 0) out.next("nuncio token keys PERSONA", "to make the first key of a persona");
    return undefined;
  },
};
