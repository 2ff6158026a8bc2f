/*
 * Loaded into a command before anything of it: ends the process, as SIGKILL from outside would, right before or right
 * after the nth COMMIT on one of the databases. NUNCIO_TEST_COMMIT is `postgres 3 before`.
 */
const [database, number, when] = process.env.NUNCIO_TEST_COMMIT.split(" ");
let left = Number(number);

const die = () => process.kill(process.pid, "SIGKILL");

function around(commit) {
  left -= 1;
  if (left === 0 && when === "before") die();
  const result = commit();
  if (left !== 0 || when !== "after") return result;
  if (result instanceof Promise) return result.then(die);
  return die();
}

const { prototype, name } =
  database === "postgres" ? { prototype: require("pg").Client.prototype, name: "query" } : sqlite();
const call = prototype[name];
prototype[name] = function (...args) {
  const run = () => call.apply(this, args);
  return args[0] === "COMMIT" ? around(run) : run();
};

function sqlite() {
  const builtIn = process.getBuiltinModule?.("node:sqlite");
  return { prototype: (builtIn?.DatabaseSync ?? require("better-sqlite3")).prototype, name: "exec" };
}
