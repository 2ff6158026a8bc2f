// Loaded into a daemon before everything else: answers a message of the parent process with what the process holds.
process.on("message", async () => {
  // Finalizers run between collections, and free what the next one finds.
  for (let i = 0; i < 5; i++) {
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const { rss, heapUsed, external } = process.memoryUsage();
  const timers = process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
  process.send({ rss, heap: heapUsed, external, timers });
});
process.channel.unref();
