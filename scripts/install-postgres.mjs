import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { findPostgres } from "./find-postgres.mjs";
import { StepFailed, say, step } from "./step.mjs";

const COMMANDS = "apt-get update && apt-get install -y postgresql";

/**
 * The tests start a PostgreSQL server of their own, and need its programs. Installs Debian's when there are none; running
 * Nuncio does not need them.
 */
export async function installPostgres() {
  if (findPostgres() !== undefined) return;
  if (!existsSync("/usr/bin/apt-get")) {
    throw new StepFailed(
      "The tests need the programs of a PostgreSQL server (initdb, postgres). Install PostgreSQL 13 or later with your " +
        "system's package manager, put them on the PATH, then run this again",
    );
  }
  if (process.getuid?.() !== 0) {
    throw new StepFailed(
      `The tests need the programs of a PostgreSQL server. Run as root:\n    ${COMMANDS}\n  then this again`,
    );
  }
  say("Installing PostgreSQL for the tests …");
  await apt("update", "-qq");
  await installWithoutCluster();
  if (findPostgres() === undefined) throw new StepFailed("PostgreSQL was installed, and its programs are not found");
}

const CLUSTER_DEFAULTS = "/etc/postgresql-common/createcluster.conf";

/**
 * Debian's package makes a database cluster of its own and starts it on port 5432. We want its programs only. Where
 * the defaults for clusters were there before us, they are somebody's choice and stay as they are.
 */
async function installWithoutCluster() {
  if (!existsSync(CLUSTER_DEFAULTS)) {
    await aptInstall("postgresql-common");
    const defaults = readFileSync(CLUSTER_DEFAULTS, "utf8");
    writeFileSync(CLUSTER_DEFAULTS, `${defaults}\ncreate_main_cluster = false\n`);
  }
  await aptInstall("postgresql");
}

const aptInstall = (name) => apt("install", "-y", "-qq", "--no-install-recommends", name);

const apt = (...args) => step("apt-get", args, { minutes: 15, env: { DEBIAN_FRONTEND: "noninteractive" } });
