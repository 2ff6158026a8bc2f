import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { nodeSqlite } from "../src/store/sqlite/node-sqlite.js";
// @ts-expect-error: scripts have no types
import { packagesAreCurrent } from "./install.mjs";

/** A checkout whose lock file wants these packages, and in which those are installed. */
function checkout(wanted: object, installed: object): string {
  const root = mkdtempSync(join(tmpdir(), "nuncio-install-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, "node_modules"));
  writeFileSync(join(root, "package-lock.json"), JSON.stringify({ packages: { "": {}, ...wanted } }));
  writeFileSync(join(root, "node_modules", ".package-lock.json"), JSON.stringify({ packages: installed }));
  return root;
}

const zod = { "node_modules/zod": { version: "4.6.7" } };
const driver = { "node_modules/better-sqlite3": { version: "12.11.1", optional: true } };
const forMac = { "node_modules/fsevents": { version: "2.3.3", optional: true } };

it("finds packages current that have the versions of the lock file, without those for other systems", () => {
  expect(packagesAreCurrent(checkout({ ...zod, ...driver, ...forMac }, { ...zod, ...driver }))).toBe(true);
  expect(packagesAreCurrent(checkout({ ...zod }, { "node_modules/zod": { version: "4.6.6" } }))).toBe(false);
  expect(packagesAreCurrent(checkout({ ...zod }, {}))).toBe(false);
});

it("X16 wants the SQLite driver only where Node has none", () => {
  expect(packagesAreCurrent(checkout({ ...zod, ...driver }, { ...zod }))).toBe(nodeSqlite() !== undefined);
});
