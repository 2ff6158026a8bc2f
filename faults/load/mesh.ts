import { KINDS } from "./kinds.js";

/** Several of them, so that no more than `maxConcurrentPerTarget` delegations are ever in flight to one. */
export const WORKERS = ["ada", "ben", "cleo", "dan", "eve", "fay", "gus", "hal", "ida", "joe", "kim", "lea"];

export interface MeshOptions {
  slots: number;
  /** Base URL of the provider that the model persona asks. */
  modelUrl: string;
  /** Where the program persona adds a line for each of its runs. */
  runsFile: string;
}

/** The part of a configuration that says which personas there are: everything that a request asks for. */
export function mesh({ slots, modelUrl, runsFile }: MeshOptions): { providers: object; personas: object[] } {
  const persona = (name: string, more: object) => ({
    name,
    maxConcurrent: slots,
    capabilities: { allow: ["persona.send:*"] },
    ...more,
  });
  const scripted = (name: string, script: object[], more: object = {}) =>
    persona(name, { runtime: "scripted", script, ...more });
  const rules = Object.entries(KINDS).flatMap(([kind, { front }]) =>
    WORKERS.map((worker) => ({ when: { text: `^${kind} ${worker} ` }, steps: front(worker) })),
  );
  const hang = { when: { text: "^hang$" }, steps: [{ status: "hanging" }, { hang: true }] };
  return {
    providers: {
      models: { type: "openai-compatible", baseURL: modelUrl, apiKey: "test-key" },
      programs: { type: "command", command: "sh", args: ["-c", PROGRAM], env: { RUNS: runsFile } },
    },
    personas: [
      scripted("front", [hang, ...rules], { visibility: "public" }),
      persona("program", { provider: "programs" }),
      persona("thinker", { provider: "models", model: "model" }),
      ...WORKERS.flatMap((worker) => [
        scripted(worker, WORK),
        scripted(`${worker}-foreman`, [
          {
            steps: [
              { send: { to: worker, message: "{{input.text}}", await: true, timeoutMs: 86_400_000, as: "part" } },
              { reply: "foreman has {{results.part}}" },
            ],
          },
        ]),
      ]),
    ],
  };
}

/** One short line is appended in one piece, whoever else writes at the same time. */
const PROGRAM = `text=$(cat); echo "$text" >> "$RUNS"; sleep 0.01; printf 'counted %s' "$text"`;

const WORK = [
  { when: { turn: 2 }, steps: [{ sleep: 10 }, { reply: "the answer of {{input.text}}" }] },
  { when: { text: "^question" }, steps: [{ status: "working" }, { sleep: 10 }, { ask: "What is {{input.text}}?" }] },
  { when: { text: "^cancel" }, steps: [{ status: "working" }, { hang: true }] },
  { when: { text: "^failing" }, steps: [{ sleep: 10 }, { fail: "the worker cannot do {{input.text}}" }] },
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
    steps: [{ status: "working" }, { sleep: 30 }, { chunk: "worker " }, { sleep: 20 }, { reply: "did {{input.text}}" }],
  },
];
