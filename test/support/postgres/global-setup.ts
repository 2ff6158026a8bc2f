import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { TestProject } from "vitest/node";
import { type PostgresServer, startPostgres } from "./server.js";

declare module "vitest" {
  export interface ProvidedContext {
    /** Where to ask for the server that all tests of a run share: it is started for the first that asks. */
    postgresDoor: string;
  }
}

/** One PostgreSQL server for a run of tests: made when the first test wants it, gone with the run, whatever ends that. */
export default async function postgresForTheRun(project: TestProject): Promise<() => Promise<void>> {
  let server: Promise<PostgresServer> | undefined;
  const door = createServer((_, response) => {
    server ??= startPostgres({ durable: false });
    server.then(
      ({ url }) => response.end(url),
      (error) => response.writeHead(500).end(String(error)),
    );
  });
  door.listen(0, "127.0.0.1");
  await once(door, "listening");
  door.unref();
  project.provide("postgresDoor", `http://127.0.0.1:${(door.address() as AddressInfo).port}`);
  return async () => {
    door.close();
    // One that could not be started has been told of by the tests, and has left nothing.
    await server?.then((started) => started.remove()).catch(() => {});
  };
}
