/** A task by its delegations: one list for each child, which holds its own. */
export type Tree = Tree[];

/** A kind of request, and what has come of it in the end, however often the daemon died on the way. `N` is its text. */
export interface Kind {
  /** What the persona `front` does, with the help of one worker and its foreman. */
  front(worker: string): object[];
  /** What the client does once the task is acknowledged. */
  next?: "answer" | "cancel";
  state: "completed" | "canceled";
  answer: string;
  /** Left out where it depends on who was faster. */
  children?: Tree;
}

const send = (to: string, message: string, as: string, more: object = { await: true }) => ({
  send: { to, message, as, ...more },
});

export const KINDS: Record<string, Kind> = {
  await: {
    front: (worker) => [{ status: "asking" }, send(worker, "{{input.text}}", "part"), { reply: "{{results.part}}" }],
    state: "completed",
    answer: "worker did N",
    children: [[]],
  },
  post: {
    front: (worker) => [send(worker, "{{input.text}}", "part", {}), { sleep: 10 }, { reply: "posted {{input.text}}" }],
    state: "completed",
    answer: "posted N",
    children: [[]],
  },
  /** Both the task and its child fail twice before they succeed. */
  flaky: {
    front: (worker) => [
      { fail: { text: "front not yet", retryable: true, attempts: 2 } },
      send(worker, "{{input.text}}", "part"),
      { reply: "{{results.part}}" },
    ],
    state: "completed",
    answer: "worker did N in the end",
    children: [[]],
  },
  chain: {
    front: (worker) => [send(`${worker}-foreman`, "{{input.text}}", "part"), { reply: "{{results.part}}" }],
    state: "completed",
    answer: "foreman has worker did N",
    children: [[[]]],
  },
  both: {
    front: (worker) => [
      send(worker, "{{input.text}}", "one"),
      send(worker, "{{input.text}} again", "two"),
      { reply: "{{results.one}}, {{results.two}}" },
    ],
    state: "completed",
    answer: "worker did N, worker did N again",
    children: [[], []],
  },
  /** Gives up waiting, and asks for the result later. */
  timeout: {
    front: (worker) => [
      send(worker, "{{input.text}}", "first", { await: true, timeoutMs: 15 }),
      {
        tool: {
          name: "persona_task_status",
          with: { task_id: "{{results.first.task_id}}", wait_ms: 60_000 },
          as: "second",
        },
      },
      { reply: "{{results.second}}" },
    ],
    state: "completed",
    answer: "worker did N",
    children: [[]],
  },
  /** The worker has a question, which goes up through its foreman to the client. */
  question: {
    front: (worker) => [send(`${worker}-foreman`, "{{input.text}}", "part"), { reply: "{{results.part}}" }],
    next: "answer",
    state: "completed",
    answer: "foreman has the answer of N",
    children: [[[]]],
  },
  cancel: {
    front: (worker) => [send(worker, "{{input.text}}", "part"), { reply: "{{results.part}}" }],
    next: "cancel",
    state: "canceled",
    answer: "",
  },
};

/** Several of them, so that no more than `maxConcurrentPerTarget` delegations are ever in flight to one. */
export const WORKERS = ["ada", "ben", "cleo", "dan", "eve", "fay"];

/** The personas that all of this is asked of. */
export const mesh = (slots: number) => {
  const scripted = (name: string, script: object[], more: object = {}) => ({
    name,
    runtime: "scripted",
    maxConcurrent: slots,
    capabilities: { allow: ["persona.send:*"] },
    script,
    ...more,
  });
  const rules = Object.entries(KINDS).flatMap(([kind, { front }]) =>
    WORKERS.map((worker) => ({ when: { text: `^${kind} ${worker} ` }, steps: front(worker) })),
  );
  return [
    scripted("front", [{ when: { text: "^hang$" }, steps: [{ status: "hanging" }, { hang: true }] }, ...rules], {
      visibility: "public",
    }),
    ...WORKERS.flatMap((worker) => [
      scripted(worker, WORK),
      scripted(`${worker}-foreman`, [
        { steps: [send(worker, "{{input.text}}", "part"), { reply: "foreman has {{results.part}}" }] },
      ]),
    ]),
  ];
};

const WORK = [
  { when: { turn: 2 }, steps: [{ sleep: 10 }, { reply: "the answer of {{input.text}}" }] },
  { when: { text: "^question" }, steps: [{ status: "working" }, { sleep: 10 }, { ask: "What is {{input.text}}?" }] },
  { when: { text: "^cancel" }, steps: [{ status: "working" }, { hang: true }] },
  {
    when: { text: "^flaky" },
    steps: [
      { status: "working" },
      { fail: { text: "not yet", retryable: true, attempts: 2 } },
      { sleep: 20 },
      { reply: "worker did {{input.text}} in the end" },
    ],
  },
  {
    steps: [{ status: "working" }, { sleep: 40 }, { chunk: "worker " }, { sleep: 20 }, { reply: "did {{input.text}}" }],
  },
];
