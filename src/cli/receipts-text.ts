import { harmlessLine } from "./harmless.js";
import type { Colors } from "./output.js";

interface Receipt {
  number: number;
  at: string;
  kind: string;
  facts: Record<string, unknown>;
}

/** What was written down, in its order, with the facts of each below it: as a line they are wider than most terminals. */
export function receiptsText(receipts: readonly Receipt[], colors: Colors): string {
  const lines = receipts.flatMap(({ number, at, kind, facts }) => [
    `${number}  ${at}  ${harmlessLine(kind)}`,
    ...Object.entries(facts).flatMap(([name, value]) => factLines(name, value, colors)),
  ]);
  return [colors.dim("receipts"), ...lines].join("\n");
}

/** Nothing of what is not known; of a list, each of its own. */
function factLines(name: string, value: unknown, colors: Colors): string[] {
  if (value === null) return [];
  const all = Array.isArray(value) ? value : [value];
  return all.map((one) => `     ${colors.dim(harmlessLine(name))} ${harmlessLine(plain(one))}`);
}

function plain(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return String(value);
  return Object.values(value).map(plain).join(" ");
}
