/** Something on the wire that the specification does not let stand there. Any other error in a case is a fault of the case. */
export class Deviation extends Error {
  override readonly name = "Deviation";
}

/** Tells a case that what it looks at is not what it has to be. */
export function deviates(where: string, what: string): never {
  throw new Deviation(where === "" ? what : `${where}: ${what}`);
}

/** How a value looks in a message, cut where it gets long. */
export function shown(value: unknown): string {
  const text = value === undefined ? "nothing" : (JSON.stringify(value) ?? String(value));
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
