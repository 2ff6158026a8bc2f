import { startDaemon, type TestDaemon } from "../daemon/start-daemon.js";
import { saidIn, untilLine } from "../daemon/watch.js";
import { freshDatabase } from "../postgres/shared.js";

export type NodeName = "a" | "b";
export type Pair = Record<NodeName, TestDaemon>;

/** Long enough for a busy machine to extend it in time, short enough for a test to wait for its end. */
const LEASE_MS = 4000;

/** What `worker` hangs on, and what it says then. */
const HOLD = "hold";
const holding = (node: NodeName) => `held by ${node}`;

/**
 * Two daemons on one new PostgreSQL database, started at the same moment.
 *
 * @param config of each; what the two have in common is up to it
 */
export async function startPair(config: (node: NodeName) => object): Promise<Pair> {
  const storage = { type: "postgres", url: await freshDatabase() };
  const start = (node: NodeName) => {
    const { queue = {}, a2a = {}, ...more } = config(node) as { queue?: object; a2a?: object };
    return startDaemon({
      storage,
      queue: { leaseMs: LEASE_MS, backoffBaseMs: 20, backoffMaxMs: 100, ...queue },
      // On a machine that stands still for longer than a lease an attempt is lost without anybody's fault.
      a2a: { maxAttempts: 20, ...a2a },
      ...more,
    });
  };
  const [a, b] = await Promise.all([start("a"), start("b")]);
  return { a, b };
}

/** A persona that both nodes run, one task at a time, by the rules of a script. */
export const workerBy = (node: NodeName, rules: object[], more: object = {}) => ({
  name: "worker",
  runtime: "scripted",
  visibility: "public",
  maxConcurrent: 1,
  script: [{ when: { text: `^${HOLD}$` }, steps: [{ status: holding(node) }, { hang: true }] }, ...rules],
  ...more,
});

/** The same, with steps of its own on each node: its answer tells which one has run it. */
export const worker = (node: NodeName, steps: Record<NodeName, object[]>, more: object = {}) =>
  workerBy(node, [{ steps: steps[node] }], more);

export const send = (to: string, message: string, as: string, await_ = true) => ({
  send: { to, message, await: await_, as },
});
/** One that may delegate. */
export const persona = (name: string, steps: object[], more: object = {}) => ({
  name,
  runtime: "scripted",
  visibility: "public",
  capabilities: { allow: ["persona.send:*"] },
  script: [{ steps }],
  ...more,
});

/** Awaits what `worker` makes of it. */
export const boss = (node: NodeName) =>
  persona("boss", [send("worker", "{{input.text}}", "r"), { reply: `${node} heard: {{results.r}}` }]);

/**
 * Gives A's `worker` something to do that does not end, so that its other tasks are run by B. Resolves with how to free it.
 */
export async function occupyA({ client }: TestDaemon): Promise<() => Promise<void>> {
  for (;;) {
    const { id } = await client.send({ persona: "worker", text: HOLD });
    const line = await untilLine(client, id, (one) => saidIn(one)?.startsWith("held by ") === true);
    const free = () => client.cancel(id, "the slot is needed").then(() => {});
    if (saidIn(line) === holding("a")) return free;
    // Whoever is sooner takes it.
    await free();
  }
}
