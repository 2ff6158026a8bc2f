/** The folder with the programs of a PostgreSQL server, `initdb` and `postgres` among them; undefined when there is none. */
export function findPostgres(): string | undefined;
