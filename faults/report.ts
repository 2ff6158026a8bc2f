import type { Finding } from "./findings.js";

/** What one part of the suite did, and what came of it. */
export interface Row {
  id: string;
  what: string;
  /** Facts in the words of the table: `10,013 delegations`, `57 kills`. */
  done: readonly string[];
  /** Faults that were promised, each as found and promised: too few of them prove nothing. */
  injected: readonly { name: string; count: number; promised: number }[];
  findings: readonly Finding[];
  seconds: number;
}

const count = ({ findings }: Row, kind: Finding["kind"]): number =>
  findings.filter((finding) => finding.kind === kind).length;

const missing = ({ injected }: Row): string[] =>
  injected
    .filter(({ count, promised }) => count < promised)
    .map(({ name, count, promised }) => `only ${count} of ${promised} ${name}`);

/** Nothing was lost, doubled or stuck, and all that was promised was tried. */
export const isGood = (row: Row): boolean => row.findings.length === 0 && missing(row).length === 0;

/** One table in Markdown, so that it can be published as it is. */
export function tableOf(rows: readonly Row[]): string {
  const head = ["id", "what", "done", "lost", "doubled", "stuck", "time"];
  const body = rows.map((row) => [
    row.id,
    row.what,
    [
      ...row.done,
      ...row.injected.map(({ name, count }) => `${count.toLocaleString("en")} ${name}`),
      ...missing(row),
    ].join(", "),
    ...(["lost", "doubled", "stuck"] as const).map((kind) => String(count(row, kind))),
    `${Math.round(row.seconds)} s`,
  ]);
  return [head, head.map(() => "---"), ...body].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** The first findings of a row, for whoever looks for the reason. */
export function findingsOf(row: Row, most = 20): string[] {
  const shown = row.findings.slice(0, most).map(({ kind, text }) => `${row.id} ${kind}: ${text}`);
  const more = row.findings.length - shown.length;
  return more > 0 ? [...shown, `${row.id}: and ${more} more`] : shown;
}
