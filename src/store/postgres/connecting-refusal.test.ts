import { Client } from "pg";
import { expect, test } from "vitest";
import { freePort } from "../../../test/support/postgres/free-port.js";
import { freshDatabase } from "../../../test/support/postgres/shared.js";
import { inspectPostgres } from "./inspect-postgres.js";
import { openPostgres } from "./open-postgres.js";

/** A database with a ledger in it, and a user who owns nothing. */
const place = test.extend<{ url: URL; stranger: URL; schema: string }>({
  schema: "taken",
  url: async ({ schema }, use) => {
    const url = await freshDatabase();
    await (await openPostgres({ url, schema })).close();
    await use(new URL(url));
  },
  stranger: async ({ url }, use) => {
    const name = `stranger_${url.pathname.slice(1)}`;
    const client = new Client({ connectionString: url.href });
    await client.connect();
    await client.query(`CREATE ROLE ${name} LOGIN PASSWORD 'stranger-secret'`);
    const stranger = new URL(url);
    [stranger.username, stranger.password] = [name, "stranger-secret"];
    await use(stranger);
    await client.query(`DROP ROLE ${name}`);
    await client.end();
  },
});

const refusal = async (work: Promise<unknown>): Promise<{ message: string; hint: string }> => {
  const error = await work.then(
    () => expect.unreachable("it was let in"),
    (reason) => reason,
  );
  return { message: error.message, hint: error.hint };
};

const opened = (url: URL, schema?: string) => refusal(openPostgres({ url: url.href, ...(schema && { schema }) }));

place("a start says what keeps it out, where, and what to do; never a password", async ({ url, stranger, schema }) => {
  const changed = (parts: Partial<URL>) => Object.assign(new URL(url), parts);
  const port = String(await freePort());
  const cases: [URL, string | undefined, RegExp, RegExp][] = [
    [changed({ port }), undefined, /nothing listens there/, /start the server/],
    [changed({ hostname: "nowhere.invalid" }), undefined, /host is not known/, /correct the host/],
    [changed({ password: "wrong-secret" }), undefined, /authentication failed for user/, /password/],
    [changed({ password: "" }), undefined, /wants a password/, /user:password@host/],
    [changed({ pathname: "missing" }), undefined, /"missing" does not exist/, /createdb/],
    [changed({ search: "?sslmode=verify-full" }), undefined, /does not speak TLS/, /sslmode/],
    [stranger, undefined, /permission denied for database/, /grant this user CREATE/],
    [stranger, schema, /may not use the schema/, /the user that owns this one/],
  ];
  for (const [address, within, message, hint] of cases) {
    const refused = await opened(address, within);
    expect(refused.message).toMatch(
      new RegExp(`^PostgreSQL at ${address.hostname}:${address.port}/.*${message.source}`),
    );
    expect(refused.hint).toMatch(hint);
    expect(`${refused.message} ${refused.hint}`).not.toMatch(/secret/);
  }
});

place("a ledger that this user may not look into is not taken for none", async ({ stranger, schema }) => {
  const refused = await refusal(inspectPostgres({ url: stranger.href, schema }));
  expect(refused.message).toMatch(/may not use the schema/);
});
