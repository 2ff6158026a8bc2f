import { randomBytes } from "node:crypto";
import { Client } from "pg";
import { inject } from "vitest";

let url: Promise<string> | undefined;

/** The server that all tests of this run share: fast, and not durable. What cuts its connections needs one of its own. */
function sharedPostgres(): Promise<string> {
  url ??= (async () => {
    const answer = await fetch(inject("postgresDoor"));
    const text = await answer.text();
    if (!answer.ok) throw new Error(text);
    return text;
  })();
  return url;
}

/** That no other test uses. */
const newName = (): string => `test_${randomBytes(6).toString("hex")}`;

/** A place for a new ledger on the shared server. */
export const freshSchema = async (): Promise<{ url: string; schema: string }> => ({
  url: await sharedPostgres(),
  schema: newName(),
});

/** The URL of a new database on the shared server. */
export async function freshDatabase(): Promise<string> {
  const address = new URL(await sharedPostgres());
  const client = new Client({ connectionString: address.href });
  await client.connect();
  try {
    const name = newName();
    await client.query(`CREATE DATABASE ${name}`);
    address.pathname = name;
    return address.href;
  } finally {
    await client.end();
  }
}
