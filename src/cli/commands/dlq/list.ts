import { positiveInteger } from "../../arguments.js";
import type { CliCommand } from "../../cli.js";
import { harmlessLine } from "../../harmless.js";
import { relativeTime } from "../../relative-time.js";
import { tableText } from "../../table.js";

export const command: CliCommand<{ limit?: number; cursor?: string }> = {
  describe(command) {
    command
      .option("--limit <n>", "at most this many, up to 1000 (default: 50)", positiveInteger)
      .option("--cursor <cursor>", "continue after an earlier page");
  },
  async run({ options: { limit, cursor }, cli: { out, client } }) {
    const page = await (await client()).deadLetters({ limit, cursor });
    const now = Date.now();
    const rows = page.tasks.map(({ id, persona, attempt, deadAt, retriedAs, reason }) => [
      id,
      harmlessLine(persona),
      String(attempt),
      relativeTime(deadAt, now),
      retriedAs ?? "–",
      harmlessLine(reason).slice(0, 80),
    ]);
    const head = ["ID", "PERSONA", "ATTEMPTS", "FAILED", "RETRIED AS", "REASON"];
    out.result(page, () => (rows.length === 0 ? "" : tableText(head, rows, out.colors)));
    if (rows.length === 0) out.note("no dead letters");
    if (page.nextCursor !== null) out.next(`nuncio dlq list --cursor ${page.nextCursor}`, "for older ones");
    return undefined;
  },
};
