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

  const daemon = await startExample();
  try {
    // Whatever ends the daemon ends the demonstration with its reason.
    const death = daemon.exited.then((reason) => Promise.reject(new StepFailed(reason)));
    const shown = await Promise.race([showDelegation(daemon), death]);
    if (once) return 0;
    process.stdout.write(`${whereToLook(daemon, shown)}\n`);
    say("\nServing. Ctrl-C stops the daemon; what it has done stays in its ledger.");
    return await untilStopped(daemon);
  } finally {
    await daemon.stop();
  }
});

/** Resolves with the exit code: 0 when the user stops us, 1 when the daemon ends by itself. */
function untilStopped(daemon) {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => resolve(0));
    void daemon.exited.then((reason) => {
      say(reason);
      resolve(1);
    });
  });
}
