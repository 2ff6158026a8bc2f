/**
 * The import arrows of the house. `FLOORS` is the table; the rules below it are made from it, so that a new folder
 * needs one word here and nothing else. An import may only go down, never up and never sideways.
 *
 * `npm run check:arrows` enforces it. ARCHITECTURE.md says what each folder holds.
 */

/** Folders under src/, floor by floor from the ground. Folders of one floor do not know each other. */
const FLOORS = [
  ["shared", "telemetry"],
  ["outbound"],
  ["access"],
  ["tasks", "personas"],
  ["a2a/protocol"],
  ["a2a/client", "plans"],
  ["peers"],
  ["tools"],
  ["runtimes", "store"],
  ["a2a/server", "mcp"],
  ["http"],
  ["daemon"],
];

/** Folders that stand beside the house, with what they may import. */
const BESIDE = {
  config: ["shared", "personas", "access"],
  client: ["shared"],
  cli: ["shared", "client", "config"],
};

const inFolders = (folders) => `^src/(${folders.join("|")})/`;

/** Tests and contract suites may reach everywhere: they put real parts together. */
const TESTS = "\\.(test|contract)\\.ts$";

const floorRules = FLOORS.flatMap((folders, floor) =>
  folders.map((folder) => {
    const below = FLOORS.slice(0, floor).flat();
    // The daemon is put together from its configuration; nobody else in the house reads it.
    if (folder === "daemon") below.push("config");
    const allowed = below.length === 0 ? "nothing else under src/" : below.map((name) => `${name}/`).join(", ");
    return {
      name: `only-down-from-${folder.replace("/", "-")}`,
      severity: "error",
      comment:
        `${folder}/ is on floor ${floor} and may import ${allowed}. Does it need something from above or beside? Declare ` +
        "a port in its own words here and let daemon/compose.ts hand the other part in; or move what both need down to " +
        "the floor that both may import.",
      from: { path: inFolders([folder]), pathNot: TESTS },
      to: { path: "^src/", pathNot: [inFolders([folder, ...below])] },
    };
  }),
);

const besideRules = Object.entries(BESIDE).map(([folder, allowed]) => ({
  name: `only-its-own-from-${folder}`,
  severity: "error",
  comment:
    `${folder}/ stands beside the house and may import ${allowed.map((name) => `${name}/`).join(", ")}, and types from ` +
    "anywhere. " +
    (folder === "cli"
      ? "A command talks to a running daemon through client/; what it needs to know of a task is in the answer."
      : "What it needs from elsewhere is handed in by daemon/compose.ts, or is a value that belongs further down."),
  from: { path: inFolders([folder]), pathNot: TESTS },
  to: {
    path: "^src/",
    pathNot: inFolders(folder === "cli" ? [folder, ...allowed, "daemon"] : [folder, ...allowed]),
    // Types cost nothing at run time: the client of the control API may name the shapes of what it is sent.
    dependencyTypesNot: ["type-only"],
  },
}));

/** The one way from the commands into the daemon. */
const daemonOnlyLazily = {
  name: "daemon-only-lazily-from-cli",
  severity: "error",
  comment:
    "cli/ loads daemon/ inside the action of a command that needs no running daemon, with a dynamic " +
    '`await import("…")`: an import at the top would make every other command, and --help, pay for it.',
  from: { path: inFolders(["cli"]), pathNot: TESTS },
  to: { path: inFolders(["daemon"]), dependencyTypesNot: ["dynamic-import", "type-only"] },
};

/** Packages that one idea needs and the rest must not know of: the domain knows no HTTP, no SQL and no model. */
const OWNED_PACKAGES = [
  { packages: ["better-sqlite3"], owners: ["store"], instead: "Add a method to the port that store/ implements." },
  { packages: ["@grpc/grpc-js"], owners: ["a2a/server/grpc"], instead: "Operations know no binding." },
  {
    packages: ["@bufbuild/protobuf"],
    owners: ["a2a/protocol/protobuf"],
    instead: "Messages are read there, by tables.",
  },
  { packages: ["undici", "ipaddr.js"], owners: ["outbound"], instead: "Outbound is the only way to other hosts." },
  { packages: ["ignore"], owners: ["plans"], instead: "What a snapshot leaves out, plans/ says." },
  { packages: ["jose"], owners: ["access"], instead: "Whom a token names, access/ says." },
  { packages: ["ai", "@ai-sdk/[^/]+"], owners: ["runtimes"], instead: "A model is called by a runtime only." },
  { packages: ["pino"], owners: ["telemetry"], instead: "Take a Logger from telemetry/, which knows what to redact." },
  {
    packages: ["commander", "cli-table3", "picocolors"],
    owners: ["cli"],
    instead: "Return data; cli/ decides how it looks on a terminal.",
  },
];

const packageRules = OWNED_PACKAGES.map(({ packages, owners, instead }) => ({
  name: `only-${owners[0].replaceAll("/", "-")}-uses-${packages[0].replace(/[^a-z0-9]+/g, "-").replace(/^-/, "")}`,
  severity: "error",
  comment: `Only ${owners.map((name) => `${name}/`).join(", ")} may import ${packages[0]}. ${instead}`,
  from: { path: "^src/", pathNot: [inFolders(owners), TESTS] },
  to: { path: `(^|/)node_modules/(${packages.join("|")})/` },
}));

module.exports = {
  forbidden: [
    ...floorRules,
    ...besideRules,
    daemonOnlyLazily,
    ...packageRules,
    {
      name: "every-folder-has-its-floor",
      severity: "error",
      comment:
        "This file lies in no folder of the table in .dependency-cruiser.cjs: say there on which floor it belongs.",
      from: { path: "^src/[^/]+/", pathNot: [inFolders([...FLOORS.flat(), ...Object.keys(BESIDE)]), TESTS] },
      to: {},
    },
    {
      name: "no-circles",
      severity: "error",
      comment: "These files need each other to be understood. Move what both need into a file of its own.",
      from: { pathNot: TESTS },
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    {
      name: "tests-stay-out-of-the-product",
      severity: "error",
      comment:
        "The product does not import tests, fixtures, benchmarks, fault runs or scripts; they are not in the package.",
      from: { path: "^src/", pathNot: TESTS },
      to: { path: ["^(test|bench|scripts|faults|conformance)/", TESTS] },
    },
    {
      name: "only-what-is-installed-with-us",
      severity: "error",
      comment:
        "This package is a development dependency or not in package.json: it would be missing where Nuncio is " +
        "installed. Do without it, or add it to the dependencies with a reason.",
      from: { path: "^src/", pathNot: TESTS },
      to: { dependencyTypes: ["npm-dev", "npm-no-pkg"], dependencyTypesNot: ["type-only"] },
    },
    {
      name: "leads-somewhere",
      severity: "error",
      comment: "There is no such file or package.",
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: "specify",
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "require", "node", "default"] },
    moduleSystems: ["es6", "cjs"],
    skipAnalysisNotInRules: true,
  },
};
