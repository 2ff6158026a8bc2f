import fc from "fast-check";
import { describe } from "vitest";
import { checkInvariants } from "./invariants.contract.js";
import { MOVES, type MoveName, Story } from "./story.contract.js";
import { type LedgerTest, type OpenLedger, World } from "./world.contract.js";

/** What makes a story more interesting happens more often. */
const WEIGHTS: Partial<Record<MoveName, number>> = {
  submit: 2,
  claim: 6,
  complete: 2,
  ask: 4,
  answer: 3,
  "ask the operator": 3,
  decide: 2,
  "delegate and park": 6,
  await: 4,
  "await what others delegated": 2,
};

const names = (Object.keys(MOVES) as MoveName[]).flatMap((name) => Array<MoveName>(WEIGHTS[name] ?? 1).fill(name));
const move = fc.record({ name: fc.constantFrom(...names), pick: fc.nat(1000), choice: fc.nat(1000) });
const moves = fc.array(move, { minLength: 10, maxLength: 100, size: "max" });

/**
 * Callers, three workers and the clock do what they like, in any order: workers die, come back late with leases that
 * they have lost, and repeat what they did. After each move the invariants hold.
 */
export const interleavings = (it: LedgerTest, open: OpenLedger) =>
  describe("any interleaving", () => {
    it("keeps the invariants", { timeout: 120_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(moves, async (moves) => {
          const { ledger, close } = await open();
          const story = new Story(new World(ledger));
          try {
            for (const { name, pick, choice } of moves) {
              await MOVES[name](story, pick, choice);
              await checkInvariants(story.world);
            }
          } finally {
            await close();
          }
        }),
        { numRuns: 25 },
      );
    });
  });
