import { readFileSync } from "node:fs";
import { join } from "node:path";
import { main, ROOT, StepFailed } from "./step.mjs";

/** What the lock file must not say, each with the reason. */
const RULES = [
  {
    holds: (entry) => entry.resolved === undefined,
    why: "names the registry it was fetched from; .npmrc has omit-lockfile-registry-resolved=true so that it does not",
  },
  { holds: (entry) => entry.link === true || entry.integrity !== undefined, why: "has no integrity digest" },
];

await main(() => {
  const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
  const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const found = [];
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (path === "") continue;
    for (const { holds, why } of RULES) if (!holds(entry)) found.push(`${path} ${why}`);
  }
  for (const group of ["dependencies", "optionalDependencies", "devDependencies"]) {
    for (const [name, version] of Object.entries(manifest[group] ?? {})) {
      if (!/^(npm:.+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))
        found.push(`${name} "${version}" is not an exact version`);
    }
  }
  if (found.length > 0) throw new StepFailed(`package.json or package-lock.json:\n  ${found.join("\n  ")}`);
  return 0;
});
