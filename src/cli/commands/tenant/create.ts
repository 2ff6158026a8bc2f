import type { CliCommand } from "../../cli.js";

export const command: CliCommand = {
  async run({ args: [name = ""], cli: { out, client } }) {
    const tenant = await (await client()).createTenant(name);
    out.result(tenant, () => `${tenant.name} is there`);
    out.next(`nuncio key create NAME --tenant ${tenant.name}`, "to let somebody in");
    return undefined;
  },
};
