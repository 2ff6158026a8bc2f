import { readFileSync } from "node:fs";

/** The command lines of a process and of all that it has started, as everybody on the machine can read them; Linux only. */
export function commandLines(pid: number): string[] {
  try {
    const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
    return [
      line,
      ...children
        .split(" ")
        .filter(Boolean)
        .flatMap((child) => commandLines(Number(child))),
    ];
  } catch {
    // It is gone, or there is no such file system.
    return [];
  }
}
