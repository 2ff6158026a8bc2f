import type { CliCommand } from "../../cli.js";

export const command: CliCommand = {
  async run({ args: [id = ""], cli: { out, client } }) {
    const result = await (await client()).revokeKey(id);
    out.result(result, () => `${id} is revoked`);
    return undefined;
  },
};
