import type { ApiKeyJson } from "../../../http/control/schema/key.js";
import type { CliCommand } from "../../cli.js";
import { harmlessLine } from "../../harmless.js";
import { relativeTime } from "../../relative-time.js";
import { tableText } from "../../table.js";

export const command: CliCommand = {
  async run({ cli: { out, client } }) {
    const { keys } = await (await client()).keys();
    const now = Date.now();
    const rows = keys.map((key) => [
      key.id,
      harmlessLine(key.name),
      key.tenant,
      key.scopes.join(" "),
      validity(key, now),
      relativeTime(key.createdAt, now),
    ]);
    const head = ["ID", "NAME", "TENANT", "SCOPES", "VALID", "CREATED"];
    out.result({ keys }, () => (rows.length === 0 ? "" : tableText(head, rows, out.colors)));
    if (rows.length === 0) out.next("nuncio key create NAME", "to make the first one");
    return undefined;
  },
};

function validity({ revokedAt, expiresAt }: ApiKeyJson, now: number): string {
  if (revokedAt !== null) return `revoked ${relativeTime(revokedAt, now)}`;
  if (expiresAt === null) return "until revoked";
  return Date.parse(expiresAt) <= now
    ? `expired ${relativeTime(expiresAt, now)}`
    : `ends ${relativeTime(expiresAt, now)}`;
}
