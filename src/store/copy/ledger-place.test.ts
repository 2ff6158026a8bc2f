import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type LedgerPlace, parsePlace, postgresPlace } from "./ledger-place.js";

it("a path is a data directory, or a file when it is one or is named like one", () => {
  const directory = mkdtempSync(join(tmpdir(), "nuncio-place-"));
  const file = (text: string) => (parsePlace(text, "--to") as { file: string }).file;
  expect(file(`sqlite:${directory}`)).toBe(join(directory, "ledger.db"));
  expect(file(`sqlite://${directory}`)).toBe(join(directory, "ledger.db"));
  expect(file(`sqlite:${directory}/new`)).toBe(join(directory, "new", "ledger.db"));
  expect(file(`sqlite:${directory}/copy.db`)).toBe(join(directory, "copy.db"));
  rmSync(directory, { recursive: true });
});

it("R7 a URL is shown with its schema, and without user and password", () => {
  const text = "postgres://ann:sesame%40@db.example:5433/work?sslmode=require&schema=team_a";
  const place = parsePlace(text, "--to") as LedgerPlace & { type: "postgres" };
  expect(place.schema).toBe("team_a");
  expect(place.url).toBe("postgres://ann:sesame%40@db.example:5433/work?sslmode=require");
  expect(postgresPlace(place)).toBe("postgres://db.example:5433/work?schema=team_a");
  expect(parsePlace("postgresql://db/work", "--to")).toMatchObject({ schema: "nuncio" });
});

it.each([
  "mysql://ann:sesame@db/work",
  "ann:sesame@db",
  "postgres://ann:sesame@db:port/work",
  "postgres://ann:sesame@db/work?schema=No-Name",
  "sqlite:",
  "sqlite://host/path",
  "",
])("R7 what is wrong with %j is said without showing it", (text) => {
  expect(() => parsePlace(text, "--to")).toThrow(
    expect.objectContaining({ code: "invalid_argument", message: expect.not.stringContaining("sesame") }),
  );
});
