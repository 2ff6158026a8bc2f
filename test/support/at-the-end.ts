import { afterAll } from "vitest";

const ends: (() => unknown)[] = [];

// Registered while the file is read that imports this: what a hook or a test registers with `afterAll` is never called.
afterAll(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Runs when the tests of the file are over, the last first; may be said at any time. */
export const atTheEnd = (end: () => unknown): void => void ends.push(end);
