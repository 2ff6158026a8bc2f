/** Keeps the end of a stream of bytes. */
export class LastBytes {
  readonly #limit: number;
  #kept: Buffer = Buffer.alloc(0);
  #cut = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  write(chunk: Buffer): void {
    const all = Buffer.concat([this.#kept, chunk]);
    this.#cut ||= all.length > this.#limit;
    this.#kept = all.subarray(Math.max(0, all.length - this.#limit));
  }

  /** As text; a character that was cut at the front is left out. */
  text(): string {
    if (!this.#cut) return this.#kept.toString("utf8");
    const start = this.#kept.findIndex((byte) => (byte & 0xc0) !== 0x80);
    return `…${this.#kept.subarray(Math.max(0, start)).toString("utf8")}`;
  }
}
