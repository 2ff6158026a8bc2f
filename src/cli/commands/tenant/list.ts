import type { CliCommand } from "../../cli.js";
import { harmlessLine } from "../../harmless.js";
import { relativeTime } from "../../relative-time.js";
import { tableText } from "../../table.js";

export const command: CliCommand = {
  async run({ cli: { out, client } }) {
    const { tenants } = await (await client()).tenants();
    const now = Date.now();
    const rows = tenants.map(({ name, personas, keys, createdAt }) => [
      harmlessLine(name),
      String(personas),
      String(keys),
      createdAt === null ? "" : relativeTime(createdAt, now),
    ]);
    out.result({ tenants }, () => tableText(["NAME", "PERSONAS", "KEYS", "CREATED"], rows, out.colors));
    return undefined;
  },
};
