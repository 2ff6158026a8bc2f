import type { CliCommand } from "../../cli.js";
import { harmlessLine } from "../../harmless.js";
import { tableText } from "../../table.js";

export const command: CliCommand = {
  async run({ cli: { out, client } }) {
    const { personas } = await (await client()).personas();
    out.result({ personas }, () =>
      tableText(
        ["NAME", "TENANT", "RUNTIME", "VISIBILITY", "RUNNING", "DESCRIPTION"],
        personas.map(({ name, tenant, runtime, visibility, running, maxConcurrent, description }) => [
          name,
          tenant,
          runtime,
          visibility,
          `${running}/${maxConcurrent}`,
          harmlessLine(description).slice(0, 60),
        ]),
        out.colors,
      ),
    );
    return undefined;
  },
};
