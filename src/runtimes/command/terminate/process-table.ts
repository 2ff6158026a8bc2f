import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { MARKER_VARIABLE } from "../child-environment.js";

export interface ProcessEntry {
  pid: number;
  parent: number;
  group: number;
  /** When it started, in whatever form the system gives it: tells two processes with one number apart. */
  started: string;
  /** It has ended, and its parent has not asked for its exit code yet. */
  ended: boolean;
  /** Value of the marker variable in the environment that it was started with; null where the system does not say. */
  marker: string | null;
}

/** On a machine with thousands of processes, reading all at once would run out of file descriptors. */
const READ_AT_ONCE = 64;

/** All processes of this machine, as far as they can be seen. */
export const processTable = (): Promise<ProcessEntry[]> => (process.platform === "linux" ? fromProc() : fromPs());

async function fromProc(): Promise<ProcessEntry[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const table: ProcessEntry[] = [];
  while (pids.length > 0) {
    const entries = await Promise.all(pids.splice(0, READ_AT_ONCE).map(procEntry));
    table.push(...entries.filter((entry) => entry !== null));
  }
  return table;
}

/** Null when the process has gone meanwhile. Fields of `stat`: proc(5). */
async function procEntry(pid: string): Promise<ProcessEntry | null> {
  try {
    const [stat, environment] = await Promise.all([
      readFile(`/proc/${pid}/stat`, "latin1"),
      readFile(`/proc/${pid}/environ`, "latin1").catch(() => ""), // not ours to see
    ]);
    // The name of the program stands in parentheses and may have any character in it.
    const [state, parent, group, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const prefix = `${MARKER_VARIABLE}=`;
    const marker = environment.split("\0").find((variable) => variable.startsWith(prefix));
    return {
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      started: rest[16] ?? "",
      ended: state === "Z" || state === "X",
      marker: marker?.slice(prefix.length) ?? null,
    };
  } catch {
    return null;
  }
}

async function fromPs(): Promise<ProcessEntry[]> {
  const { stdout } = await promisify(execFile)("/bin/ps", ["-axo", "pid=,ppid=,pgid=,stat=,lstart="], {
    env: { LC_ALL: "C" },
    maxBuffer: 16 * 1024 * 1024,
  });
  return parsePs(stdout);
}

export function parsePs(output: string): ProcessEntry[] {
  return output.split("\n").flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(.+?)\s*$/.exec(line);
    if (match === null) return [];
    const [, pid, parent, group, state, started] = match as unknown as [string, string, string, string, string, string];
    const ended = state.startsWith("Z");
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), started, ended, marker: null }];
  });
}
