/** What has to have come of a task in the end. In its texts `N` stands for the text of the request. */
export interface Outcome {
  /** What it was asked. */
  text: string;
  state: "completed" | "failed" | "canceled";
  /** The text of its artifacts. */
  result: string;
  /** One for each delegation, whatever the order; left out where it depends on who was faster. */
  children?: readonly Outcome[];
}

/** A kind of request, and what has come of it in the end, however often the daemon died on the way. */
export interface Kind {
  /** What the persona `front` does, with the help of one worker and its foreman. */
  front(worker: string): object[];
  /** What the client does once the task is acknowledged. */
  next?: "answer" | "cancel";
  outcome: Outcome;
}

/** Whoever waits does so for as long as may be asked for, so that a step of the clock is no reason to give up. */
const AWAITED = { await: true, timeoutMs: 86_400_000 };

const send = (to: string, message: string, as: string, more: object = AWAITED) => ({
  send: { to, message, as, ...more },
});

const done = (result: string, children: readonly Outcome[] = [], text = "N"): Outcome => ({
  text,
  state: "completed",
  result,
  children,
});

export const KINDS: Record<string, Kind> = {
  await: {
    front: (worker) => [{ status: "asking" }, send(worker, "{{input.text}}", "part"), { reply: "{{results.part}}" }],
    outcome: done("worker did N", [done("worker did N")]),
  },
  post: {
    front: (worker) => [send(worker, "{{input.text}}", "part", {}), { sleep: 10 }, { reply: "posted {{input.text}}" }],
    outcome: done("posted N", [done("worker did N")]),
  },
  /** Both the task and its child fail twice before they succeed. */
  flaky: {
    front: (worker) => [
      { fail: { text: "front not yet", retryable: true, attempts: 2 } },
      send(worker, "{{input.text}}", "part"),
      { reply: "{{results.part}}" },
    ],
    outcome: done("worker did N in the end", [done("worker did N in the end")]),
  },
  chain: {
    front: (worker) => [send(`${worker}-foreman`, "{{input.text}}", "part"), { reply: "{{results.part}}" }],
    outcome: done("foreman has worker did N", [done("foreman has worker did N", [done("worker did N")])]),
  },
  both: {
    front: (worker) => [
      send(worker, "{{input.text}}", "one"),
      send(worker, "{{input.text}} again", "two"),
      { reply: "{{results.one}}, {{results.two}}" },
    ],
    outcome: done("worker did N, worker did N again", [
      done("worker did N"),
      done("worker did N again", [], "N again"),
    ]),
  },
  /** One after another without waiting, then for one of them. */
  fan: {
    front: (worker) => [
      send(worker, "{{input.text}} one", "one", {}),
      send(worker, "{{input.text}} two", "two", {}),
      send(worker, "{{input.text}} three", "three"),
      { reply: "{{results.three}}" },
    ],
    outcome: done(
      "worker did N three",
      ["one", "two", "three"].map((which) => done(`worker did N ${which}`, [], `N ${which}`)),
    ),
  },
  /** Gives up waiting, and asks for the result later. */
  timeout: {
    front: (worker) => [
      send(worker, "{{input.text}}", "first", { await: true, timeoutMs: 15 }),
      {
        tool: {
          name: "persona_task_status",
          with: { task_id: "{{results.first.task_id}}", wait_ms: 600_000 },
          as: "second",
        },
      },
      { reply: "{{results.second}}" },
    ],
    outcome: done("worker did N", [done("worker did N")]),
  },
  /** The worker has a question, which goes up through its foreman to the client. */
  question: {
    front: (worker) => [send(`${worker}-foreman`, "{{input.text}}", "part"), { reply: "{{results.part}}" }],
    next: "answer",
    outcome: done("foreman has the answer of N", [done("foreman has the answer of N", [done("the answer of N")])]),
  },
  cancel: {
    front: (worker) => [send(worker, "{{input.text}}", "part"), { reply: "{{results.part}}" }],
    next: "cancel",
    outcome: { text: "N", state: "canceled", result: "" },
  },
  /** The worker fails for good, and the front tells so. */
  failing: {
    front: (worker) => [send(worker, "{{input.text}}", "part"), { reply: "heard: {{results.part.error}}" }],
    outcome: done("heard: the worker cannot do N", [{ text: "N", state: "failed", result: "", children: [] }]),
  },
  /** The front fails after it has delegated; what it delegated goes on. */
  deserter: {
    front: (worker) => [send(worker, "{{input.text}}", "part", {}), { fail: "gone from {{input.text}}" }],
    outcome: { text: "N", state: "failed", result: "", children: [done("worker did N")] },
  },
  /** A program, which cannot be continued: it may run more than once. */
  program: {
    front: () => [send("program", "{{input.text}}", "part"), { reply: "{{results.part}}" }],
    outcome: done("counted N", [done("counted N")]),
  },
  /** A model, which delegates by a tool call. */
  model: {
    front: () => [send("thinker", "{{input.text}}", "part"), { reply: "{{results.part}}" }],
    outcome: done("thought about N", [done("thought about N", [done("worker did N")])]),
  },
};

/** How many delegations a request of this kind leads to, for certain. */
export const delegationsOf = ({ children = [] }: Outcome): number =>
  children.reduce((sum, child) => sum + 1 + delegationsOf(child), 0);

/** The outcome that the request with this text has to have. */
export function outcomeFor({ outcome }: Kind, text: string): Outcome {
  const filled = (one: Outcome): Outcome => ({
    ...one,
    text: one.text.replaceAll("N", text),
    result: one.result.replaceAll("N", text),
    ...(one.children !== undefined && { children: one.children.map(filled) }),
  });
  return filled(outcome);
}
