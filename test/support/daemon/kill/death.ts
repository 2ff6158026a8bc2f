import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

/** At which commit of its ledger a daemon dies. */
export interface Death {
  /** Counted from the first transaction in which a statement with this text in it … */
  statement: string;
  /** … is given a value with this in it. */
  value: string;
  /** How many transactions that write something come between; none when absent. */
  later?: number;
  /** Whether what the transaction wrote is lost, or there after the restart. */
  when: "before" | "after";
}

/** How the daemons of a test die. `env` is for the daemon; a plan holds from its next start on. */
export function deaths(): { env: Record<string, string>; plan(death: Death | null): void } {
  const directory = mkdtempSync(join(tmpdir(), "nuncio-death-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, "death.json");
  const plan = (death: Death | null) => writeFileSync(file, JSON.stringify({ death }));
  plan(null);
  const preload = fileURLToPath(new URL("die-at-commit.cjs", import.meta.url));
  return { env: { NODE_OPTIONS: `--require ${preload}`, NUNCIO_TEST_DEATH: file }, plan };
}
