/** What has come to the listener since it was started, for the operator: numbers, never what was said. */
export class AdmissionCounts {
  /** Requests with the credential of a grant that is in force. */
  requests = 0;
  /** Messages that were admitted, each having spent a grant. */
  admitted = 0;
  readonly #refused = new Map<string, number>();

  refuse(reason: string): void {
    this.#refused.set(reason, (this.#refused.get(reason) ?? 0) + 1);
  }

  /** By reason; the reasons are ours, so there are few. */
  get refused(): Record<string, number> {
    return Object.fromEntries([...this.#refused].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

/** What the operator is told of the listener. */
export interface AdmissionFacts {
  url: string;
  /** Grants that let somebody in now. */
  grants: number;
  /** Streams and waiting calls that are open. */
  open: number;
  requests: number;
  admitted: number;
  /** By reason. */
  refused: Record<string, number>;
}
