import { build } from "./build.mjs";
import { install } from "./install.mjs";
import { main, StepFailed, say } from "./step.mjs";

/**
 * `npm start`: installs what is missing, builds, starts a daemon on the example, has a real A2A client send it a request,
 * shows what happens, and goes on serving until Ctrl-C. With `--once` it ends after the result.
 */
await main(async () => {
  const unknown = process.argv.slice(2).filter((argument) => argument !== "--once");
  if (unknown.length > 0) throw new StepFailed(`${unknown[0]} is not known here; npm start takes -- --once`);
  const once = process.argv.includes("--once");

  await install();
  await build();
  // Only now is there something to import.
  const { startExample } = await import("./example-daemon.mjs");
  const { showDelegation, whereToLook } = await import("./show-delegation.mjs");

  const interrupted = interruption();
  const daemon = await startExample();
  // Whatever ends the daemon ends what goes on with it, and is the reason to tell.
  const died = daemon.exited.then((reason) => Promise.reject(new StepFailed(reason)));
  try {
    const shown = await Promise.race([showDelegation(daemon), died, interrupted]);
    if (shown === "interrupted") return 130;
    if (once) return 0;
    process.stdout.write(`${whereToLook(daemon, shown)}\n`);
    say("\nServing. Ctrl-C stops the daemon; what it has done stays in its ledger.");
    await Promise.race([died, interrupted]);
    return 0;
  } finally {
    await daemon.stop();
  }
});

/** From now on Ctrl-C does not end this process at once: the daemon has to be stopped first. */
function interruption() {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => resolve("interrupted"));
    // Who ends npm by its pid does not reach us: npm goes without passing the signal on, and the daemon would hold its port.
    const parent = process.ppid;
    if (process.env.npm_lifecycle_event !== "start") return;
    setInterval(() => process.ppid !== parent && resolve("interrupted"), 500).unref();
  });
}
