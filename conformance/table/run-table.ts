import { Deviation } from "../deviation.js";
import type { Target } from "../targets/target.js";
import type { Wire } from "../wires/wire.js";
import type { Case, Need, Section } from "./case.js";
import { Talk } from "./talk.js";

/** A case takes milliseconds; what takes this long waits for what never comes. */
const CASE_TIMEOUT_MS = 20_000;
/** More at a time than one server answers at once, and fewer than would make it queue. */
const AT_ONCE = 12;

export interface Outcome {
  section: Section;
  case: Case;
  wire: Wire;
  /** `deliberate`: it fails, as the server's maker has it. */
  outcome: "passed" | "failed" | "deliberate" | "not run";
  /** Why it failed, or what the server does not have. */
  why?: string;
  milliseconds: number;
}

/** Runs the table against a server: every case on every wire that it concerns. */
export async function runTable(sections: readonly Section[], target: Target): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  const rows = rowsOf(sections, target);
  const next = rows[Symbol.iterator]();
  const worker = async () => {
    for (let row = next.next(); row.done !== true; row = next.next())
      outcomes[row.value.at] = await runRow(row.value, target);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return outcomes;
}

interface Row {
  at: number;
  section: Section;
  case: Case;
  wire: Wire;
}

function rowsOf(sections: readonly Section[], { wires }: Target): Row[] {
  const rows: Row[] = [];
  for (const section of sections) {
    for (const one of section.cases) {
      for (const wire of wires) {
        const { on = () => true, uses = [] } = one;
        if (on(wire) && uses.every((operation) => wire.has(operation)))
          rows.push({ at: rows.length, section, case: one, wire });
      }
    }
  }
  return rows;
}

async function runRow({ section, case: one, wire }: Row, target: Target): Promise<Outcome> {
  const missing = (one.needs ?? []).filter((need: Need) => !target.offers.has(need));
  if (missing.length > 0) {
    return { section, case: one, wire, outcome: "not run", why: `needs ${missing.join(", ")}`, milliseconds: 0 };
  }
  const { agent, token } = target;
  const startedAt = performance.now();
  const done = (outcome: Outcome["outcome"], why?: string): Outcome => ({
    section,
    case: one,
    wire,
    outcome,
    ...(why === undefined ? {} : { why }),
    milliseconds: performance.now() - startedAt,
  });
  const deliberate = target.deviations?.find(({ title }) => one.title === title);
  try {
    await inTime(one.run(new Talk(wire, target, { agent, token })));
    return deliberate === undefined ? done("passed") : done("failed", `does not deviate any more: ${deliberate.why}`);
  } catch (error) {
    return deliberate === undefined ? done("failed", describe(error)) : done("deliberate", deliberate.why);
  }
}

async function inTime(run: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Deviation(`nothing came within ${CASE_TIMEOUT_MS} ms`)), CASE_TIMEOUT_MS);
  });
  try {
    await Promise.race([run, late]);
  } finally {
    clearTimeout(timer);
  }
}

function describe(error: unknown): string {
  if (error instanceof Deviation) return error.message;
  if (!(error instanceof Error)) return String(error);
  // Where an assertion stands in the case is worth a look; the rest of the stack is this runner's.
  const place = error.stack?.split("\n").find((line) => line.includes("/cases/"));
  return `${error.message}${place === undefined ? "" : ` (${place.trim()})`}`;
}
