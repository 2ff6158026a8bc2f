import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startFakeOpenAi } from "../../test/support/fake-providers/openai.js";
import type { ReceivedRequest, Turn } from "../../test/support/fake-providers/script.js";
import type { Findings } from "../findings.js";
import { name } from "../ledger/check-ledger.js";
import type { LedgerFacts } from "../ledger/ledger-facts.js";

/**
 * What the personas do outside the ledger, which no transaction takes back: requests to a model, and runs of a program. Both
 * may happen once for each attempt, and never more often.
 */
export interface Effects {
  modelUrl: string;
  /** To which each run of the program adds a line. */
  runsFile: string;
  /** How many there were, and how many of them would have been enough. */
  counts(): { modelRequests: number; repeatedModelRequests: number; programRuns: number; repeatedProgramRuns: number };
  check(facts: LedgerFacts, findings: Findings): void;
  close(): Promise<void>;
}

export async function startEffects(): Promise<Effects> {
  const directory = mkdtempSync(join(tmpdir(), "nuncio-effects-"));
  const runsFile = join(directory, "runs.txt");
  appendFileSync(runsFile, "");
  const asked = new Map<string, number>();
  const provider = await startFakeOpenAi({ turns: (request) => answer(request, asked) });
  const runs = () => tally(readFileSync(runsFile, "utf8").split("\n").filter(Boolean));
  return {
    modelUrl: provider.url,
    runsFile,
    counts: () => ({
      modelRequests: sum(asked),
      repeatedModelRequests: sum(asked) - asked.size,
      programRuns: sum(runs()),
      repeatedProgramRuns: sum(runs()) - runs().size,
    }),
    check({ tasks }, findings) {
      const ran = runs();
      const each = (what: string, times: number, task: Parameters<typeof name>[0] & { attempt: number }) => {
        if (times === 0) findings.lost(`${name(task)} has an outcome without ${what}`);
        if (times > task.attempt) findings.doubled(`${name(task)}: ${times} × ${what} in ${task.attempt} attempts`);
      };
      for (const task of tasks.values()) {
        if (task.state !== "completed") continue;
        if (task.persona === "program") each("a run of its program", ran.get(task.text) ?? 0, task);
        if (task.persona !== "thinker") continue;
        for (const step of STEPS) each(`request "${step}" to its model`, asked.get(`${step} ${task.text}`) ?? 0, task);
      }
    },
    async close() {
      await provider.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

const STEPS = ["delegate", "answer"] as const;

/** A model that hands its work to the worker that the message names, and then answers. */
function answer({ body }: ReceivedRequest, asked: Map<string, number>): Turn {
  const said = JSON.stringify(body.messages);
  const [text, worker] = /model (\w+) \d+/.exec(said) ?? [];
  const step = body.messages.at(-1)?.role === "tool" ? "answer" : "delegate";
  const key = `${step} ${text}`;
  asked.set(key, (asked.get(key) ?? 0) + 1);
  if (step === "answer") return { text: ["thought ", `about ${text}`] };
  const args = { target_persona: worker, message: text, await_reply: true, timeout_ms: 86_400_000 };
  return { tools: [{ name: "persona_send", args }] };
}

function tally(lines: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}

const sum = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((all, one) => all + one, 0);
