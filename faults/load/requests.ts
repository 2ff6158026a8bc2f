import { seeded } from "../random.js";
import { delegationsOf, KINDS, type Outcome, outcomeFor } from "./kinds.js";
import { WORKERS } from "./mesh.js";

/** How the client hears of the outcome. `forget`: it does not, once the task is acknowledged. */
export type Mode = "block" | "poll" | "stream" | "forget";

export interface LoadRequest {
  number: number;
  text: string;
  messageId: string;
  contextId: string | undefined;
  mode: Mode;
  next: "answer" | "cancel" | undefined;
  outcome: Outcome;
  /** The same numbers for the same seed, whatever the other requests do. */
  random: () => number;
}

const MODES: readonly Mode[] = ["block", "block", "stream", "stream", "poll", "forget"];

/** As many requests as lead to this many delegations, all kinds in turn. */
export function requestsFor(
  delegations: number,
  seed: number,
  names: readonly string[] = Object.keys(KINDS),
): LoadRequest[] {
  const requests: LoadRequest[] = [];
  const kinds = Object.entries(KINDS).filter(([name]) => names.includes(name));
  for (let sum = 0; sum < delegations; ) {
    const number = requests.length;
    const [name, kind] = pick(kinds, number);
    const random = seeded(seed + number * 7919);
    const text = `${name} ${pick(WORKERS, Math.floor(random() * WORKERS.length))} ${number}`;
    const mode = pick(MODES, Math.floor(random() * MODES.length));
    requests.push({
      number,
      text,
      messageId: `message-${number}`,
      // A third of them share a few conversations, whose tasks run one after another.
      contextId: random() < 1 / 3 ? `context-${Math.floor(random() * 24)}` : undefined,
      // Who has something to do next must know the task.
      mode: mode === "forget" && kind.next !== undefined ? "poll" : mode,
      next: kind.next,
      outcome: outcomeFor(kind, text),
      random,
    });
    sum += delegationsOf(kind.outcome);
  }
  return requests;
}

/** A single request of a kind, beside the others. */
export function requestOf(kindName: string, messageId: string, number: number): LoadRequest {
  const kind = KINDS[kindName];
  if (kind === undefined) throw new Error(`there is no kind ${kindName}`);
  const text = `${kindName} ${pick(WORKERS, number)} ${number}`;
  const random = seeded(number);
  return {
    number,
    text,
    messageId,
    contextId: undefined,
    mode: "poll",
    next: kind.next,
    outcome: outcomeFor(kind, text),
    random,
  };
}

const pick = <T>(list: readonly T[], number: number): T => list[number % list.length] as T;
