// Loaded into a daemon before everything else: answers a message of the parent process with what the process holds.
process.on("message", async () => {
  // Finalizers run between collections, and free what the next one finds.
  for (let i = 0; i < 5; i++) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { rss, heapUsed } = process.memoryUsage();
  process.send({ rss, heap: heapUsed, timers: timers(), handles: handles() });
});
process.channel.unref();

/** All but the connections of whoever asks, which come and go. */
const handles = () =>
  process.getActiveResourcesInfo().filter((kind) => kind !== "Timeout" && kind !== "TCPSocketWrap").length;

/** Those of the program, and those that Node keeps for single sockets, which it does not list. */
function timers() {
  const listed = process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
  return listed + process._getActiveHandles().filter(hasTimer).length;
}

function hasTimer(handle) {
  const key = Object.getOwnPropertySymbols(handle).find(({ description }) => description === "timeout");
  return key !== undefined && handle[key]?._destroyed === false;
}
