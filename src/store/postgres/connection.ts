import pg from "pg";

/**
 * What each connection of a node is set to.
 *
 * - A node that stands still in the middle of a transaction (a stopped process, a lost machine) must not hold the locks
 *   of a context for ever: the server ends the transaction, and the node finds out when it comes back.
 * - Every statement has an index made for it (a test looks at the plans). On the empty tables of the first minute the planner
 *   would prefer to walk them, and keep the plan.
 */
const SETTINGS: Record<string, string> = {
  idle_in_transaction_session_timeout: "10000",
  lock_timeout: "20000",
  statement_timeout: "60000",
  enable_seqscan: "off",
  timezone: "UTC",
};

const CONNECT_TIMEOUT_MS = 10_000;
/** A server that does not answer for so long is taken for lost. */
const ANSWER_TIMEOUT_MS = 65_000;

export interface ConnectionOptions {
  /** `postgres://user:password@host:port/database` */
  url: string;
  schema: string;
}

export const connectionConfig = (options: ConnectionOptions): pg.ClientConfig => ({
  ...connection(options, "nuncio", SETTINGS),
  query_timeout: ANSWER_TIMEOUT_MS,
});

/** For commands that go through a whole ledger: each statement may take as long as it takes. */
export const wholeLedgerConfig = (options: ConnectionOptions): pg.ClientConfig =>
  connection(options, "nuncio db", {
    ...SETTINGS,
    idle_in_transaction_session_timeout: "0",
    lock_timeout: "0",
    statement_timeout: "0",
  });

function connection(
  { url, schema }: ConnectionOptions,
  applicationName: string,
  settings: Record<string, string>,
): pg.ClientConfig {
  const { connectionString, options } = takeOptions(url);
  const ours = Object.entries({ ...settings, search_path: `"${schema}"` }).map(
    ([name, value]) => `-c ${name}=${value}`,
  );
  return {
    connectionString,
    application_name: applicationName,
    // Of two that set the same the last one counts.
    options: [...options, ...ours].join(" "),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    types: { getTypeParser },
  };
}

/**
 * `?options=` of a URL would take the place of ours, and the ledger be made in whatever schema comes first: they are taken
 * out of it and stand beside ours.
 */
function takeOptions(url: string): { connectionString: string; options: string[] } {
  if (!/[?&]options=/.test(url) || !URL.canParse(url)) return { connectionString: url, options: [] };
  const address = new URL(url);
  const options = address.searchParams.getAll("options");
  address.searchParams.delete("options");
  return { connectionString: address.href, options };
}

const BIGINT = 20;
const NUMERIC = 1700;

/** Counts and times come as text, since they might be larger than a number can say; ours are not. */
const getTypeParser: pg.CustomTypesConfig["getTypeParser"] = (oid: number, format?: "text" | "binary") =>
  oid === BIGINT || oid === NUMERIC
    ? (value: string | Buffer) => Number(value)
    : (pg.types.getTypeParser as (oid: number, format?: string) => (value: string | Buffer) => unknown)(oid, format);

/** Where a URL points, for messages: without user and password. */
export function placeOf(url: string): string {
  try {
    const { hostname, port, pathname } = new URL(url);
    return `${hostname === "" ? "localhost" : hostname}:${port === "" ? "5432" : port}${pathname}`;
  } catch {
    return "the configured address";
  }
}
