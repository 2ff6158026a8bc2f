import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";

/** A house in small, with one of each fault (scripts/fixtures/arrows), under the rules of the real one. */
describe("the import arrows", () => {
  let report = "";
  let exitCode: number | null = 0;

  beforeAll(() => {
    const bin = fileURLToPath(new URL("../node_modules/dependency-cruiser/bin/dependency-cruise.mjs", import.meta.url));
    const args = [bin, "src", "--config", "../../../.dependency-cruiser.cjs", "--output-type", "err-long"];
    const cwd = fileURLToPath(new URL("./fixtures/arrows", import.meta.url));
    const run = spawnSync(process.execPath, args, { cwd, encoding: "utf8", env: { ...process.env, NO_COLOR: "1" } });
    exitCode = run.status;
    report = run.stdout.replace(/\s+/g, " ");
  }, 60_000);

  it("make the check fail, once for each fault and for nothing else", () => {
    expect(exitCode).toBe(6);
    expect(report).toContain("6 dependency violations (6 errors");
  });

  it("refuse an import of a higher floor, and say where to go instead", () => {
    expect(report).toContain("only-down-from-shared: src/shared/up.ts → src/store/claim.ts shared/ is on floor 0");
    expect(report).toContain("may import nothing else under src/");
    expect(report).toContain("Declare a port in its own words here and let daemon/compose.ts hand the other part in");
  });

  it("refuse an import from a neighbor on the same floor, and name what is allowed", () => {
    expect(report).toContain(
      "only-down-from-tasks: src/tasks/sideways.ts → src/personas/persona.ts tasks/ is on floor 3",
    );
    expect(report).toContain("may import shared/, telemetry/, outbound/, access/.");
  });

  it("let a command load the daemon lazily, and only so", () => {
    expect(report).toContain("daemon-only-lazily-from-cli: src/cli/status.ts → src/daemon/main.ts");
    expect(report).not.toContain("src/cli/up.ts");
  });

  it("refuse a folder that has no floor, and files that need each other", () => {
    expect(report).toContain("every-folder-has-its-floor: src/attic/box.ts");
    expect(report).toContain("no-circles: src/http/circle-a.ts → src/http/circle-b.ts → src/http/circle-a.ts");
  });

  it("keep packages with the folder that owns them", () => {
    expect(report).toMatch(/only-store-uses-better-sqlite3: src\/tasks\/sql\.ts → \S*better-sqlite3/);
    expect(report).toContain("Add a method to the port that store/ implements.");
  });

  it("let tests reach everywhere", () => {
    expect(report).not.toContain("state.test.ts");
  });
});
