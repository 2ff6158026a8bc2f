import type { CopyWatch } from "../store/copy/copy-rows.js";
import type { Output } from "./output.js";

const WIDTH = 24;
const REDRAW_MS = 100;

type Progress = NonNullable<CopyWatch["progress"]>;

/** Draws how far it is, on a terminal; with `--json` nothing. */
export function progressBar(out: Output): Progress {
  let last = -Infinity;
  return (at) => {
    const now = performance.now();
    if (out.json || (now - last < REDRAW_MS && at.done < at.total)) return;
    last = now;
    out.status(barText(at));
  };
}

/** `copying   ██████████──────────────  41%  412,345 of 1,000,000 rows  events` */
export function barText({ part, table, done, total }: Parameters<Progress>[0]): string {
  // Whoever adds rows meanwhile must not make it more than everything.
  const share = total === 0 ? 1 : Math.min(1, done / total);
  const full = Math.floor(share * WIDTH);
  const bar = "█".repeat(full) + "─".repeat(WIDTH - full);
  const percent = `${Math.floor(share * 100)}%`.padStart(4);
  const number = (value: number) => value.toLocaleString("en-US");
  return `${part.padEnd(9)} ${bar} ${percent}  ${number(done)} of ${number(total)} rows  ${table}`;
}
