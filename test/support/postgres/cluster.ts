import { type SpawnOptions, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, chownSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findPostgres } from "../../../scripts/find-postgres.mjs";
import { serverUser } from "./server-user.js";

/** The files of a database server that does not run yet. */
export interface Cluster {
  /** Holds everything; short, since the path of a Unix socket has about a hundred bytes. */
  directory: string;
  dataDir: string;
  logFile: string;
  password: string;
  /** Runs a program of PostgreSQL as the user whom the files belong to. */
  spawn(program: string, args: readonly string[], options: SpawnOptions): ReturnType<typeof spawn>;
}

export const USER = "nuncio";

/**
 * Makes a cluster in a new directory. Over TCP it wants the password. Its own order of text is not that of bytes, where
 * this PostgreSQL can do that (15 and later), so that what forgets its collation is found out.
 */
export function createCluster(): Cluster {
  const programs = findPostgres();
  if (programs === undefined) {
    throw new Error(
      "the programs of a PostgreSQL server are missing: `npm test` installs them as root on Debian; elsewhere install " +
        "PostgreSQL 13 or later with your system's package manager and put `initdb` and `postgres` on the PATH",
    );
  }
  const directory = mkdtempSync(join(tmpdir(), "nuncio-pg-"));
  const user = serverUser();
  const passwordFile = join(directory, "password");
  const password = randomBytes(12).toString("base64url");
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (user.uid !== undefined && user.gid !== undefined) {
    for (const path of [directory, passwordFile]) chownSync(path, user.uid, user.gid);
  }
  chmodSync(directory, 0o700);

  const dataDir = join(directory, "data");
  const env = { PATH: process.env.PATH, LC_ALL: "C" };
  const access = ["-U", USER, "--auth-local=trust", "--auth-host=scram-sha-256", `--pwfile=${passwordFile}`];
  const order = majorVersion(programs) >= 15 ? ["--locale-provider=icu", "--icu-locale=en"] : [];
  const { status, stderr } = spawnSync(
    join(programs, "initdb"),
    ["-D", dataDir, "--no-sync", "--encoding=UTF8", ...order, ...access],
    { ...user, env, cwd: directory, encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`initdb has failed:\n${stderr}`);
  return {
    directory,
    dataDir,
    logFile: join(directory, "server.log"),
    password,
    spawn: (program, args, options) =>
      spawn(join(programs, program), args, { ...user, env, cwd: directory, ...options }),
  };
}

function majorVersion(programs: string): number {
  const { stdout } = spawnSync(join(programs, "postgres"), ["--version"], { encoding: "utf8" });
  return Number(/(\d+)/.exec(stdout)?.[1] ?? 0);
}
