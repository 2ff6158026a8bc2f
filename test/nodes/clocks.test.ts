import { expect, it } from "vitest";
import { sendMessage } from "../support/daemon/a2a.js";
import { startDaemon } from "../support/daemon/start-daemon.js";
import { allTasks, resultOf } from "../support/daemon/watch.js";
import { freshDatabase } from "../support/postgres/shared.js";

/** Loaded before the program: the machine's clock is an hour ahead. */
const HOUR_AHEAD = "data:text/javascript,const{now}=Date;Date.now=()=>now()+3600000";

it("D9 X4 a node whose own clock is an hour ahead puts no message before or behind where it came", async () => {
  const config = {
    storage: { type: "postgres", url: await freshDatabase() },
    personas: [{ name: "front", runtime: "scripted" }],
  };
  const ahead = await startDaemon(config, { env: { NODE_OPTIONS: `--import=${HOUR_AHEAD}` } });
  const right = await startDaemon(config);
  const { id: first, contextId } = await sendMessage(ahead.url, "front", { text: "one" });
  const { id: second } = await sendMessage(right.url, "front", { text: "two", contextId });
  const third = await sendMessage(ahead.url, "front", { text: "three", contextId });
  expect(resultOf(third)).toBe("three");
  expect([first, second, third.id].sort()).toEqual([first, second, third.id]);
  expect((await allTasks(right.client)).map(({ id }) => id)).toEqual([third.id, second, first]);
  // What the machine believes is not told to anybody.
  const times = (await allTasks(right.client)).map(({ createdAt }) => Date.parse(createdAt));
  for (const time of times) expect(time).toBeLessThan(Date.now() + 1_800_000);
});
