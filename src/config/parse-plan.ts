import type { Plan } from "../plans/plan.js";
import { ConfigError } from "./config-error.js";
import { explainIssues } from "./explain.js";
import { Findings, inOrder } from "./findings.js";
import { type PlanSettings, planFile } from "./schema/plan.js";
import { YamlSource } from "./yaml-source.js";

const MAX_BYTES = 512 * 1024;

/**
 * The text of a plan file as a plan, checked as a whole. No variables are put in.
 *
 * @param file as the user wrote it: errors show it so
 * @throws ConfigError with file, line, column and what would be right, for everything that is wrong
 */
export function parsePlan(text: string, file: string): { plan: Plan; ignore: readonly string[] } {
  if (Buffer.byteLength(text) > MAX_BYTES) {
    const message = `the plan is larger than ${MAX_BYTES / 1024} KiB; shorten it`;
    throw new ConfigError([{ file, line: 1, column: 1, path: "", message }]);
  }
  const source = new YamlSource(text, file, {}, () => false);
  if (source.problems.length > 0) throw new ConfigError(inOrder(source.problems));
  const parsed = planFile.safeParse(source.data ?? {});
  if (!parsed.success) throw new ConfigError(inOrder(explainIssues(parsed.error.issues, source)));
  const findings = new Findings(source);
  refuseDuplicates(parsed.data, findings);
  refuseNeeds(parsed.data, findings);
  if (findings.problems.length > 0) throw new ConfigError(inOrder(findings.problems));
  return toPlan(parsed.data);
}

function toPlan({ title, steps, checks, limits, ignore }: PlanSettings): { plan: Plan; ignore: readonly string[] } {
  const { invocations, token_units } = limits;
  return {
    plan: {
      ...{ title, checks },
      steps: steps.map(({ persona, ...step }) => ({ ...step, ...(persona !== undefined && { persona }) })),
      limits: { invocations, tokenUnits: token_units },
    },
    ignore,
  };
}

function refuseDuplicates({ steps, checks }: PlanSettings, findings: Findings): void {
  const twice = (values: readonly string[], path: (index: number) => (string | number)[]) => {
    values.forEach((value, index) => {
      if (values.indexOf(value) === index) return;
      findings.refuse(path(index), `${JSON.stringify(value)} is there already; give each its own`);
    });
  };
  twice(
    steps.map(({ id }) => id),
    (index) => ["steps", index, "id"],
  );
  twice(
    checks.map(({ name }) => name),
    (index) => ["checks", index, "name"],
  );
  steps.forEach(({ files, needs }, at) => {
    twice(files, (index) => ["steps", at, "files", index]);
    twice(needs, (index) => ["steps", at, "needs", index]);
  });
}

/** Each step that is needed is there, and none needs itself, however far around. */
function refuseNeeds({ steps }: PlanSettings, findings: Findings): void {
  const needsOf = new Map(steps.map(({ id, needs }) => [id, needs]));
  steps.forEach(({ id, needs }, at) => {
    needs.forEach((need, index) => {
      const path = ["steps", at, "needs", index];
      if (!needsOf.has(need)) findings.refuse(path, `${JSON.stringify(need)} is no step of this plan; use one that is`);
      else if (reaches(need, id, needsOf)) findings.refuse(path, `${need} needs ${id} itself; break the circle`);
    });
  });
}

function reaches(from: string, to: string, needsOf: ReadonlyMap<string, readonly string[]>): boolean {
  const open = [from];
  const seen = new Set<string>();
  for (let step = open.pop(); step !== undefined; step = open.pop()) {
    if (step === to) return true;
    if (seen.has(step)) continue;
    seen.add(step);
    open.push(...(needsOf.get(step) ?? []));
  }
  return false;
}
