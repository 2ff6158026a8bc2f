import { accessSync, constants, existsSync, readdirSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

/** Where Debian keeps its versions: it puts none of their servers on the PATH. */
const DEBIAN = "/usr/lib/postgresql";

/** The folder with the programs of a PostgreSQL server: of the one on the PATH, else of the newest that Debian installed. */
export function findPostgres() {
  const onPath = (process.env.PATH ?? "").split(delimiter).filter((folder) => isServer(folder));
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const folder = [...onPath, ...versions.map((version) => join(DEBIAN, version, "bin"))].find(isServer);
  // One on the PATH may be a link to where its sisters are.
  return folder === undefined ? undefined : dirname(realpathSync(join(folder, "initdb")));
}

const isServer = (folder) => ["initdb", "postgres"].every((program) => isExecutable(join(folder, program)));

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
