import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";

/**
 * Waits for the end of its input; then ends the server of the directory, if one runs, and removes the directory.
 * The first line of postmaster.pid is the pid; the server removes the file when it has ended.
 */
const SCRIPT = `
while read -r _; do :; done
file="$1/data/postmaster.pid"
pid=$(head -n 1 "$file" 2>/dev/null)
if [ -n "$pid" ]; then
  kill -QUIT "$pid" 2>/dev/null; kill -CONT "$pid" 2>/dev/null
  tries=0
  while [ -e "$file" ] && kill -0 "$pid" 2>/dev/null; do
    tries=$((tries + 1))
    if [ "$tries" -gt 200 ]; then kill -KILL "$pid"; break; fi
    sleep 0.05
  done
fi
rm -rf -- "$1"
`;

/**
 * Sees to it that nothing of a server is left when we are gone, however we went: a pipe to a process of its own is closed by
 * the system also for those who are killed.
 */
export class Caretaker {
  readonly #process: ChildProcess;

  /** @param directory made for the server, which has its data in `data` */
  constructor(directory: string) {
    // A group of its own: what kills ours must not take the caretaker with it.
    this.#process = spawn("sh", ["-c", SCRIPT, "caretaker", directory], {
      stdio: ["pipe", "ignore", "ignore"],
      detached: true,
    });
    // Neither the process nor the pipe keeps us alive.
    this.#process.unref();
    (this.#process.stdin as unknown as { unref(): void }).unref();
  }

  /** Resolves when server and directory are gone. */
  async clearUp(): Promise<void> {
    if (this.#process.exitCode !== null) return;
    const gone = once(this.#process, "exit");
    this.#process.ref();
    this.#process.stdin?.end();
    await gone;
  }
}
