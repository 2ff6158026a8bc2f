import { expect, it } from "vitest";
import { barText, progressBar } from "./progress-bar.js";

it("shows how far it is, and never more than everything", () => {
  const at = { part: "copying", table: "events" } as const;
  expect(barText({ ...at, done: 412_345, total: 1_000_000 })).toBe(
    "copying   █████████───────────────  41%  412,345 of 1,000,000 rows  events",
  );
  expect(barText({ ...at, done: 3, total: 2 })).toContain("100%  3 of 2 rows");
  expect(barText({ ...at, done: 0, total: 0 })).toContain("100%");
});

it("draws at once, then not too often, and the end always; nothing with --json", () => {
  const lines: (string | null)[] = [];
  const out = { json: false, status: (line: string | null) => lines.push(line) };
  const draw = progressBar(out as never);
  for (let done = 1; done <= 1000; done++) draw({ part: "verifying", table: "tasks", done, total: 1000 });
  expect(lines.length).toBeLessThan(1000);
  expect(lines.at(-1)).toContain("100%");
  progressBar({ ...out, json: true } as never)({ part: "copying", table: "tasks", done: 1, total: 1 });
  expect(lines.at(-1)).toContain("verifying");
});
