import type { Section } from "./table/case.js";
import type { Outcome } from "./table/run-table.js";
import type { Target } from "./targets/target.js";

type Counts = Record<Outcome["outcome"], number>;

function countsOf(outcomes: readonly Outcome[]): Counts {
  const counts: Counts = { passed: 0, failed: 0, deliberate: 0, "not run": 0 };
  for (const { outcome } of outcomes) counts[outcome] += 1;
  return counts;
}

const words = ({ passed, failed, deliberate, "not run": notRun }: Counts): string =>
  `${passed} passed, ${failed} failed${deliberate === 0 ? "" : `, ${deliberate} deviate on purpose`}` +
  `${notRun === 0 ? "" : `, ${notRun} not run`}`;

/** By section and by wire, then what failed, then the count. */
export function textOf(outcomes: readonly Outcome[], target: Target, seconds: number): string {
  const lines = [`A2A conformance of ${target.name}`, ""];
  const by = new Map<Section, Outcome[]>();
  for (const outcome of outcomes) by.set(outcome.section, [...(by.get(outcome.section) ?? []), outcome]);
  for (const [{ number, title }, of] of by) lines.push(`${number.padEnd(9)}${title.padEnd(36)}${words(countsOf(of))}`);
  lines.push("");
  for (const wire of target.wires) {
    lines.push(`${wire.name.padEnd(45)}${words(countsOf(outcomes.filter((outcome) => outcome.wire === wire)))}`);
  }
  const shown = outcomes.filter(({ outcome }) => outcome === "failed" || outcome === "deliberate");
  if (shown.length > 0) lines.push("");
  for (const outcome of shown) {
    const mark = outcome.outcome === "failed" ? "FAILED  " : "DEVIATES ";
    lines.push(`${mark}${nameOf(outcome)}\n        ${outcome.why}`);
  }
  lines.push("", `${words(countsOf(outcomes))}, ${outcomes.length} in ${seconds.toFixed(1)} s`, "");
  return lines.join("\n");
}

export const nameOf = ({ section, case: one, wire }: Outcome): string =>
  `${section.number} ${one.title} [${wire.name}]`;

export function jsonOf(outcomes: readonly Outcome[], target: Target): string {
  return JSON.stringify({
    target: target.name,
    ...countsOf(outcomes),
    cases: outcomes.map(({ section, case: one, wire, outcome, why, milliseconds }) => ({
      section: section.number,
      title: one.title,
      wire: wire.name,
      outcome,
      ...(why === undefined ? {} : { why }),
      milliseconds: Math.round(milliseconds),
    })),
  });
}
