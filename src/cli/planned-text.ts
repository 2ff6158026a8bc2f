import type {
  AssignmentJson,
  CheckResultJson,
  PlannedTaskJson,
  PlannedTaskSummary,
} from "../http/control/schema/planned-task.js";
import { harmless, harmlessLine } from "./harmless.js";
import type { Colors } from "./output.js";
import { relativeTime } from "./relative-time.js";
import { fieldsText, tableText } from "./table.js";

/** Left-out files that are named one by one. */
const SHOWN = 20;

export function plannedTable(planned: readonly PlannedTaskSummary[], colors: Colors): string {
  const now = Date.now();
  const rows = planned.map((one) => [
    one.id,
    one.state,
    String(one.revision),
    usedOf(one.invocations),
    relativeTime(one.createdAt, now),
    harmlessLine(one.title).slice(0, 60),
  ]);
  return tableText(["ID", "STATE", "REVISION", "INVOCATIONS", "CREATED", "TITLE"], rows, colors);
}

/** Everything about a planned task: what the next command has to name stands at the top and in the table. */
export function plannedText(planned: PlannedTaskJson, colors: Colors): string {
  const facts = fieldsText(
    [
      ["planned task", planned.id],
      ["title", harmlessLine(planned.title)],
      ["state", planned.state],
      ["revision", String(planned.revision)],
      ["tenant", planned.tenant === "default" ? null : planned.tenant],
      ["workspace", harmlessLine(planned.workspace)],
      ["snapshot", `${planned.snapshot.digest}, ${planned.snapshot.admitted.length} files`],
      ["invocations", usedOf(planned.invocations)],
      ["token units", planned.tokenUnits === null ? "not bounded" : String(planned.tokenUnits)],
    ],
    colors,
  );
  const steps = planned.steps.map((step) => [step.id, step.state, step.needs.join(", ") || "–", step.persona ?? "–"]);
  return [
    facts,
    ...section("steps", tableText(["STEP", "STATE", "NEEDS", "PERSONA"], steps, colors), colors),
    ...(planned.assignments.length === 0
      ? []
      : section("assignments", assignmentTable(planned.assignments, colors), colors)),
    ...section("checks", checksText(planned, colors), colors),
    ...leftOutText(planned, colors),
  ].join("\n");
}

export function assignmentTable(assignments: readonly AssignmentJson[], colors: Colors): string {
  const rows = assignments.map((one) => {
    const last = one.runs.at(-1);
    return [
      one.id,
      one.step,
      one.profile.name,
      harmlessLine(one.persona === null ? `peer ${one.peer}` : one.persona),
      String(one.generation),
      usedOf(one.invocations),
      one.tokens === null ? "unobserved" : String(one.tokens),
      last === undefined ? "–" : `${last.childId} ${last.state ?? "purged"}`,
    ];
  });
  const head = ["ASSIGNMENT", "STEP", "PROFILE", "WHO", "GENERATION", "INVOCATIONS", "TOKENS", "LAST RUN"];
  return tableText(head, rows, colors);
}

/** With the end of what it wrote, when it is not green. */
export function checkText(check: CheckResultJson, colors: Colors): string {
  const { name, green, exitCode, ms, output } = check;
  const came = green ? colors.green("green") : colors.red("not green");
  const how = exitCode === null ? "ended" : `exit code ${exitCode}`;
  const line = `${came}  ${harmlessLine(name)} (${how}, ${ms} ms)`;
  return green || output === "" ? line : `${line}\n${indented(harmless(output.trimEnd()))}`;
}

/** What the operator does next, with the revision and generation that it takes; null when nothing is left to do. */
export function nextOf(planned: PlannedTaskJson): readonly [command: string, purpose: string] | null {
  const { id, revision, steps, assignments, state } = planned;
  if (state === "completed") return null;
  const running = assignments.flatMap(({ runs }) => runs).find((run) => run.state !== null && !ended(run.state));
  if (running !== undefined) return [`nuncio task show ${running.childId}`, "to see how its run stands"];
  const done = (step: string) => steps.find((one) => one.id === step)?.state === "done";
  const step = steps.find((one) => one.state === "open" && one.needs.every(done));
  if (step === undefined) return [`nuncio task complete ${id} --revision ${revision}`, "to run its checks"];
  const given = assignments.find((one) => one.step === step.id && one.invocations.used < one.invocations.allowed);
  if (given !== undefined) {
    const { id: assignment, generation } = given;
    const run = `nuncio team run ${id} --assignment ${assignment} --generation ${generation} --revision ${revision}`;
    return [run, "to have it done"];
  }
  const who = step.persona === null ? "--runtime native --persona NAME" : "--runtime native";
  const assign = `nuncio team assign ${id} --step ${step.id} --profile nuncio/reviewer ${who}`;
  return [`${assign} --invocations 1 --revision ${revision}`, "to say who does the next step"];
}

const ended = (state: string): boolean => ["completed", "failed", "rejected", "canceled"].includes(state);

const usedOf = ({ used, allowed }: { used: number; allowed: number }): string => `${used} of ${allowed}`;

function checksText({ checks, lastChecks }: PlannedTaskJson, colors: Colors): string {
  if (lastChecks !== null) return lastChecks.map((check) => checkText(check, colors)).join("\n");
  return checks.map(({ name, command, args }) => harmlessLine(`${name}: ${[command, ...args].join(" ")}`)).join("\n");
}

function leftOutText({ snapshot: { leftOut } }: PlannedTaskJson, colors: Colors): string[] {
  if (leftOut.length === 0) return [];
  const lines = leftOut.slice(0, SHOWN).map(({ path, reason }) => `${harmlessLine(path)}: ${harmlessLine(reason)}`);
  const more = leftOut.length - lines.length;
  if (more > 0) lines.push(`and ${more} more, with --json`);
  return section(`left out (${leftOut.length})`, lines.join("\n"), colors);
}

const section = (title: string, text: string, colors: Colors): string[] => ["", colors.dim(title), indented(text)];

const indented = (text: string): string => text.replace(/^/gm, "  ");
