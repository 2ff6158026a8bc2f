import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { main, ROOT, step } from "./step.mjs";

const SRC = join(ROOT, "src");
const DIST = join(ROOT, "dist");
/** The digest of what dist/ was compiled from. */
const STAMP = join(DIST, ".built-from");

/** Compiles src/ to dist/, unless dist/ is what these sources give already. */
export async function build({ always = false } = {}) {
  const digest = digestOfSources();
  if (!always && existsSync(STAMP) && readFileSync(STAMP, "utf8") === digest) return;
  rmSync(STAMP, { force: true });
  await step(process.execPath, [join(ROOT, "node_modules", "typescript", "bin", "tsc"), "-p", "tsconfig.build.json"], {
    minutes: 5,
  });
  removeOrphans();
  writeFileSync(STAMP, digest);
}

function digestOfSources() {
  const hash = createHash("sha256");
  const configs = ["tsconfig.json", "tsconfig.build.json", "package-lock.json"].map((name) => join(ROOT, name));
  for (const file of [...configs, ...filesUnder(SRC).sort()]) {
    hash.update(relative(ROOT, file)).update("\0").update(readFileSync(file)).update("\0");
  }
  return hash.digest("hex");
}

/** Output whose source is gone would still be found by an import, and be published. */
function removeOrphans() {
  for (const file of filesUnder(DIST)) {
    const source = join(SRC, relative(DIST, file)).replace(/(\.d\.ts|\.js)(\.map)?$/, ".ts");
    if (file !== STAMP && !existsSync(source)) rmSync(file);
  }
}

function filesUnder(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(async () => {
    await build({ always: true });
    return 0;
  });
}
