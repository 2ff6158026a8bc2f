import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { ROOT, StepFailed, say, step } from "./step.mjs";

/**
 * Brings a checkout to where its program can be built: the packages of package-lock.json, and a SQLite driver that
 * loads, which from Node 22.13 on comes with Node. Does nothing when everything is there. Needs nothing but Node and npm
 * itself.
 */
export async function install() {
  refuseUnsupported();
  if (!packagesAreCurrent()) {
    say("Installing packages (npm ci) …");
    // Scripts of dependencies stay off: the only one that is needed is the build of the driver, below.
    await step("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { minutes: 10, env: npmEnv() });
  }
  if (nodeHasSqlite() || driverLoads()) return;
  // A finished binary for this Node and system is downloaded where the network allows it; else it is compiled.
  say("Building the SQLite driver (better-sqlite3); without a ready-made binary this takes about 3 minutes …");
  if (missingTools().length > 0 && (await downloadDriver())) return;
  await installCompiler();
  await step("npm", ["rebuild", "better-sqlite3"], { minutes: 20, env: npmEnv() });
  if (!driverLoads()) throw new StepFailed("better-sqlite3 was built, but Node cannot load it; see the output above");
}

function refuseUnsupported() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major < 20 || (major === 20 && minor < 19)) {
    throw new StepFailed(`Nuncio needs Node 20.19 or later; this is ${process.version}`);
  }
  if (process.platform !== "linux" && process.platform !== "darwin") {
    throw new StepFailed(
      `Nuncio runs on Linux and macOS, not on ${process.platform}: it relies on Unix sockets with file permissions`,
    );
  }
}

/** Whether node_modules holds the versions of package-lock.json; npm writes its own list when it has finished. */
export function packagesAreCurrent(root = ROOT) {
  const installedFile = join(root, "node_modules", ".package-lock.json");
  if (!existsSync(installedFile)) return false;
  const wanted = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages;
  const installed = JSON.parse(readFileSync(installedFile, "utf8")).packages;
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === "") return true;
    const found = installed[path];
    if (found !== undefined) return found.version === entry.version;
    // Optional packages for other systems are not there. The driver is optional as well: npm leaves it out, without a
    // word, where its build fails.
    return entry.optional === true && (path !== "node_modules/better-sqlite3" || nodeHasSqlite());
  });
}

/** Asked of the version, and not of the module: Node 22 warns of that when it is loaded. */
function nodeHasSqlite() {
  const [major, minor] = process.versions.node.split(".").map(Number);
  return major > 23 || (major === 23 && minor >= 4) || (major === 22 && minor >= 13);
}

/** In a process of its own: a binary for another Node may bring the process down that loads it. */
function driverLoads() {
  const program = 'new (require("better-sqlite3"))(":memory:").close()';
  return spawnSync(process.execPath, ["-e", program], { cwd: ROOT, stdio: "ignore", timeout: 30_000 }).status === 0;
}

async function downloadDriver() {
  const prebuild = join(ROOT, "node_modules", "prebuild-install", "bin.js");
  const cwd = join(ROOT, "node_modules", "better-sqlite3");
  try {
    await step(process.execPath, [prebuild], { minutes: 2, cwd });
    return driverLoads();
  } catch (error) {
    if (error instanceof StepFailed) return false;
    throw error;
  }
}

/** What node-gyp needs, with the Debian packages that bring it. */
const TOOLS = { python3: "python3", make: "make", "g++": "g++" };

const missingTools = () => Object.keys(TOOLS).filter((tool) => !isOnPath(tool));

function isOnPath(tool) {
  return (process.env.PATH ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, tool), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

async function installCompiler() {
  const missing = missingTools();
  if (missing.length === 0) return;
  const packages = missing.map((tool) => TOOLS[tool]);
  const commands = `apt-get update && apt-get install -y ${packages.join(" ")}`;
  if (!isOnPath("apt-get")) {
    throw new StepFailed(
      `better-sqlite3 has to be compiled, and ${missing.join(", ")} is missing. Install a C++ compiler, make and ` +
        "Python 3 with your system's package manager, then run this again",
    );
  }
  if (process.getuid?.() !== 0) {
    throw new StepFailed(
      `better-sqlite3 has to be compiled, and ${missing.join(", ")} is missing. Run as root:\n    ${commands}\n  then this again`,
    );
  }
  say(`Installing what compiles it (${packages.join(", ")}) …`);
  const env = { DEBIAN_FRONTEND: "noninteractive" };
  await step("apt-get", ["update", "-qq"], { minutes: 5, env });
  await step("apt-get", ["install", "-y", "-qq", "--no-install-recommends", ...packages], { minutes: 15, env });
}

function npmEnv() {
  const env = { npm_config_update_notifier: "false", JOBS: "max" };
  // Node's own headers, where they came with it: node-gyp need not download them.
  const prefix = dirname(dirname(process.execPath));
  if (existsSync(join(prefix, "include", "node", "node_api.h"))) env.npm_config_nodedir = prefix;
  return env;
}
