import type { CheckResult, PlanCheck } from "../../plans/plan.js";
import { messageOf } from "../../shared/errors.js";
import { newId } from "../../shared/ids.js";
import { childEnvironment } from "./child-environment.js";
import { LastBytes } from "./last-bytes.js";
import { runChild } from "./run-child.js";

const OUTPUT_BYTES = 8 * 1024;
const GRACE_MS = 3_000;

/**
 * Runs a check of a planned task as a child process, with as little of the daemon's environment as a command persona gets.
 * Whatever it has started is ended with it, also when its time is up or `signal` aborts; then the reason of `signal` is
 * thrown. A check that cannot be started is not green.
 */
export async function runCheck(
  check: PlanCheck,
  workspace: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<CheckResult> {
  const { name, command, args, timeoutMs } = check;
  const begun = performance.now();
  const output = new LastBytes(OUTPUT_BYTES);
  const marker = newId();
  const timeout = AbortSignal.timeout(timeoutMs);
  const result = (green: boolean, exitCode: number | null, note = ""): CheckResult => ({
    ...{ name, green, exitCode },
    ms: Math.round(performance.now() - begun),
    output: lastOf(`${output.text()}${note}`),
  });
  try {
    const end = await runChild({
      ...{ command, args, marker, stdin: null },
      env: childEnvironment(env, {}, marker),
      cwd: workspace,
      graceMs: GRACE_MS,
      signal: AbortSignal.any([signal, timeout]),
      onOutput: (text) => output.write(Buffer.from(text)),
    });
    output.write(Buffer.from(end.errorOutput));
    return result(end.code === 0, end.code, end.signal === null ? "" : `\n[ended by ${end.signal}]`);
  } catch (error) {
    signal.throwIfAborted();
    if (timeout.aborted) return result(false, null, `\n[ended: it took longer than ${timeoutMs} ms]`);
    return result(false, null, `[not started: ${messageOf(error)}]`);
  }
}

function lastOf(text: string): string {
  const last = new LastBytes(OUTPUT_BYTES - 3);
  last.write(Buffer.from(text));
  return last.text();
}
