import { execFileSync } from "node:child_process";

/** For `spawn`: whom a PostgreSQL server runs as. It refuses to be root, so that for root it is its own user. */
export function serverUser(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  return { uid: idOf("-u"), gid: idOf("-g") };
}

function idOf(which: "-u" | "-g"): number {
  try {
    return Number(execFileSync("id", [which, "postgres"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
  } catch (cause) {
    throw new Error(
      "PostgreSQL does not run as root, and there is no user `postgres`: make one, or run as another user",
      {
        cause,
      },
    );
  }
}
