import { describe, expect, it } from "vitest";
import { Puppet } from "../support/daemon/puppet.js";
import { startDaemon } from "../support/daemon/start-daemon.js";
import { isRetry, resultOf, untilLine, untilSettled } from "../support/daemon/watch.js";

/** Personas `hop-0` … each of which has the next one do the work. */
function chain(length: number) {
  return Array.from({ length }, (_, at) => ({
    name: `hop-${at}`,
    runtime: "scripted",
    maxConcurrent: 1,
    capabilities: { allow: ["persona.send:*"] },
    script: [
      {
        steps: [
          { send: { to: `hop-${at + 1}`, message: "{{input.text}}", await: true, as: "next" } },
          { reply: `${at}:{{results.next}}{{results.next.error}}` },
        ],
      },
    ],
  }));
}

describe("a chain of delegations that await each other", () => {
  it.each([
    { maxHops: 4, a2a: {}, said: "the default" },
    { maxHops: 32, a2a: { maxHops: 32 }, said: "the most" },
  ])(
    "D17 D13 finishes with one slot in the whole daemon, $maxHops deep ($said), and is refused one hop more",
    async ({ maxHops, a2a }) => {
      const { client } = await startDaemon({ queue: { concurrency: 1 }, a2a, personas: chain(maxHops + 2) });
      const root = await client.send({ persona: "hop-0", text: "go" });
      const done = await untilSettled(client, root.id);

      const hops = Array.from({ length: maxHops }, (_, at) => `${at}:`).join("");
      expect(resultOf(done)).toMatch(
        new RegExp(`^${hops}${maxHops}:.*${maxHops} delegations deep.*the limit is ${maxHops} \\(a2a\\.maxHops\\)`),
      );
      let depth = 0;
      for (let node = await client.tree(root.id); node.children[0] !== undefined; node = node.children[0]) {
        expect(node.children).toHaveLength(1);
        expect(node.children[0]).toMatchObject({ hop: depth + 1, state: "completed", attempt: 1 });
        depth += 1;
      }
      expect(depth).toBe(maxHops);
      expect(await client.status()).toMatchObject({
        slots: { used: 0, total: 1 },
        tasks: { processing: 0, waiting: 0 },
      });
    },
  );
});

describe("maxConcurrentPerTarget", () => {
  const personas = [
    {
      name: "caller",
      runtime: "scripted",
      maxConcurrent: 8,
      capabilities: { allow: ["persona.send:target"] },
      script: [
        {
          steps: [
            { send: { to: "target", message: "one of {{input.text}}", as: "one" } },
            { send: { to: "target", message: "two of {{input.text}}", as: "two" } },
            { send: { to: "target", message: "three of {{input.text}}", as: "three" } },
            {
              reply:
                "{{results.one.status}}{{results.one.error}}|{{results.two.status}}{{results.two.error}}|{{results.three.status}}{{results.three.error}}",
            },
          ],
        },
      ],
    },
    { name: "target", model: "puppet", provider: "puppet", maxConcurrent: 4 },
  ];
  const full = (limit: number) =>
    `"target" already has ${limit} delegated task(s) in flight; the limit is ${limit} (a2a.maxConcurrentPerTarget); try again when one of them has finished`;

  it("D12 rejects what is beyond it with a clear error, and lets the next in when one has finished", async () => {
    const puppet = await Puppet.start();
    const { client } = await startDaemon({
      a2a: { maxConcurrentPerTarget: 2 },
      providers: { puppet: puppet.provider },
      personas,
    });
    const fanOut = async (text: string) => {
      const { id } = await client.send({ persona: "caller", text });
      return { id, said: resultOf(await untilSettled(client, id)).split("|") };
    };
    const first = await fanOut("first");
    expect(first.said).toEqual(["pending", "pending", full(2)]);
    const running = [await puppet.asked(), await puppet.asked()];
    expect((await fanOut("second")).said).toEqual([full(2), full(2), full(2)]);

    running[0]?.answer({ text: "done" });
    const { children } = await client.task(first.id);
    await Promise.race(children.map(({ id }) => untilSettled(client, id)));
    expect((await fanOut("third")).said).toEqual(["pending", full(2), full(2)]);
  });

  it("D12 gives no place twice when many delegate at the same time", async () => {
    const puppet = await Puppet.start();
    const { client } = await startDaemon({
      queue: { concurrency: 8 },
      a2a: { maxConcurrentPerTarget: 7 },
      providers: { puppet: puppet.provider },
      personas,
    });
    const callers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => client.send({ persona: "caller", text: `caller ${n}` })),
    );
    const said: string[] = [];
    for (const { id } of callers) said.push(...resultOf(await untilSettled(client, id)).split("|"));
    expect(said.sort()).toEqual([...Array(17).fill(full(7)), ...Array(7).fill("pending")]);
    expect((await client.tasks({ persona: "target" })).tasks).toHaveLength(7);
  });

  it("D12 D9 counts the delegations that wait, that are to be retried and that a crash interrupted, and callers from outside never", async () => {
    const puppet = await Puppet.start();
    const daemon = await startDaemon({
      queue: { backoffBaseMs: 3_600_000, backoffMaxMs: 3_600_000 },
      a2a: { maxConcurrentPerTarget: 3 },
      providers: { puppet: puppet.provider },
      personas,
    });
    const { client } = daemon;
    const { id } = await client.send({ persona: "caller", text: "first" });
    expect(resultOf(await untilSettled(client, id))).toBe("pending|pending|pending");
    const { children } = await client.task(id);
    const inState = async (state: string, child: { id: string }) => (await client.task(child.id)).state === state;

    for (let n = 0; n < 3; n++) {
      const asked = await puppet.asked();
      if (asked.text === "one of first")
        asked.answer({ tools: [{ name: "ask_caller", args: { question: "which?" } }] });
      if (asked.text === "two of first") asked.answer({ status: 503 });
    }
    const asking = await Promise.race(children.map((child) => untilSettled(client, child.id)));
    expect(asking).toMatchObject({ state: "waiting", waitingFor: "input" });
    await Promise.race(children.map((child) => untilLine(client, child.id, isRetry)));

    await daemon.kill("SIGKILL");
    await daemon.restart();
    const again = await puppet.asked();
    expect(again.text).toBe("three of first");
    const states = await Promise.all(
      ["waiting", "pending", "processing"].map(async (state) => {
        const found = await Promise.all(children.map((child) => inState(state, child)));
        return found.filter(Boolean).length;
      }),
    );
    expect(states).toEqual([1, 1, 1]);

    const refused = async (text: string) =>
      resultOf(await untilSettled(client, (await client.send({ persona: "caller", text })).id));
    expect(await refused("second")).toBe([full(3), full(3), full(3)].join("|"));
    const outside = await client.send({ persona: "target", text: "from outside" });
    const fromOutside = await puppet.asked();
    expect(fromOutside.text).toBe("from outside");
    fromOutside.answer({ text: "welcome" });
    expect(resultOf(await untilSettled(client, outside.id))).toBe("welcome");
    expect(await refused("third")).toBe([full(3), full(3), full(3)].join("|"));

    await client.answer(asking.id, "this one");
    (await puppet.asked()).answer({ text: "thanks" });
    expect(resultOf(await untilSettled(client, asking.id))).toBe("thanks");
    expect(await refused("fourth")).toBe(["pending", full(3), full(3)].join("|"));
  });
});
