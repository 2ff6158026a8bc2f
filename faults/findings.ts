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

  count(kind: Finding["kind"]): number {
    return this.list.filter((finding) => finding.kind === kind).length;
  }
}
