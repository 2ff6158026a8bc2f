import type { PostgresServer, StopMode } from "../../test/support/postgres/server.js";
import type { Outage } from "./outage.js";

const base = (server: PostgresServer) => ({
  config: { storage: { type: "postgres", url: server.url } },
  spawn: {},
  remove: async () => {},
});

/** The server is gone: its port is closed. */
export const postgresStopped = (server: PostgresServer, mode: StopMode): Outage => ({
  ...base(server),
  name: `PostgreSQL stopped (${mode}) and started`,
  refuses: true,
  begin: () => server.stop(mode),
  end: () => server.start(),
});

/** The server neither answers nor closes a connection. */
export const postgresSuspended = (server: PostgresServer): Outage => ({
  ...base(server),
  name: "PostgreSQL halted (SIGSTOP)",
  refuses: false,
  begin: () => server.suspend(),
  end: async () => server.resume(),
});

/** All connections are cut, and new ones are accepted at once. */
export const poolLost = (server: PostgresServer): Outage => ({
  ...base(server),
  name: "all connections cut",
  refuses: false,
  begin: async () => void (await server.cutConnections()),
  end: async () => void (await server.cutConnections()),
});
