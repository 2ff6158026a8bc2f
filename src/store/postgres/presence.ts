import type { ClientBase } from "pg";
import { NuncioError } from "../../shared/errors.js";
import { READ_MARKS, refuseMarked, toMarks } from "../copy/marks.js";

/*
 * Who works on a ledger. Every connection of a node holds this lock together with all others, for as long as it lives;
 * what must be alone with the ledger (a move, a restoration) holds it for itself. As with the lock of a data directory
 * nothing is left of it when a process dies.
 */
const PRESENCE = 4;

/**
 * Lets a connection of a node in: nobody is alone with the ledger, and it is to be served from here. Asked of every new
 * connection, since a node may have been without one while its ledger was moved away.
 */
export async function enter(client: ClientBase, schema: string, useMoved: boolean): Promise<void> {
  const { rows } = await client.query(
    `SELECT pg_try_advisory_lock_shared(${PRESENCE}, hashtext($1)) AS entered, to_regclass('meta') IS NOT NULL AS known`,
    [schema],
  );
  if (rows[0]?.entered !== true) {
    throw new NuncioError("failed_precondition", "the ledger is being moved or restored at this moment", {
      reason: "LEDGER_IN_USE",
      hint: "start this node when the command has ended",
    });
  }
  if (rows[0]?.known === true) refuseMarked(toMarks((await client.query(READ_MARKS)).rows), useMoved);
}

/** Keeps nodes out until the connection ends. Throws when there are any, and says where. */
export async function takeAlone(client: ClientBase, schema: string, place: string): Promise<void> {
  const { rows } = await client.query(`SELECT pg_try_advisory_lock(${PRESENCE}, hashtext($1)) AS alone`, [schema]);
  if (rows[0]?.alone === true) return;
  const others = await client.query(
    `SELECT DISTINCT COALESCE(host(a.client_addr), 'a socket of its machine') AS host
     FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid
     WHERE l.locktype = 'advisory' AND l.classid = ${PRESENCE} AND l.objid = CAST(hashtext($1) AS oid) AND l.objsubid = 2
       AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND l.granted
     LIMIT 5`,
    [schema],
  );
  const from = others.rows.map(({ host }) => host).join(", ");
  throw new NuncioError(
    "failed_precondition",
    `nodes work on ${place}${from === "" ? "" : `, connected from ${from}`}`,
    {
      reason: "LEDGER_IN_USE",
      hint:
        "stop every `nuncio up` that uses it, and any other `nuncio db copy` or `db restore`. Connections of a machine that " +
        "is gone end by themselves, or by pg_terminate_backend",
    },
  );
}
