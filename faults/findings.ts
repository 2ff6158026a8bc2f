import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A promise that was not kept. */
export interface Finding {
  kind: "lost" | "doubled" | "stuck";
  text: string;
}

/** What went wrong, as it is found. */
export class Findings {
  readonly list: Finding[] = [];

  lost(text: string): void {
    this.list.push({ kind: "lost", text });
  }

  doubled(text: string): void {
    this.list.push({ kind: "doubled", text });
  }

  stuck(text: string): void {
    this.list.push({ kind: "stuck", text });
  }

  add(more: readonly Finding[]): void {
    this.list.push(...more);
  }
}

/** Leaves everything behind that tells of what went wrong, where something did. */
export function keepEvidence({ list }: Findings, logs: readonly (readonly string[])[]): void {
  if (list.length === 0) return;
  const directory = mkdtempSync(join(tmpdir(), "nuncio-findings-"));
  writeFileSync(join(directory, "findings.txt"), list.map(({ kind, text }) => `${kind}: ${text}\n`).join(""));
  for (const [at, log] of logs.entries()) writeFileSync(join(directory, `daemon-${at + 1}.log`), log.join("\n"));
  console.log(`what was found, and the logs of the daemons: ${directory}`);
}
