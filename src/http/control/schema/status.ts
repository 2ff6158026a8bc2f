import { z } from "zod";

const url = z.string().nullable();

export const status = z.object({
  pid: z.int(),
  version: z.string(),
  uptimeSeconds: z.number(),
  dataDir: z.string(),
  draining: z.boolean(),
  listeners: z.object({ http: url, grpc: url, console: url, admission: url }),
  /** Of the listener for peers, since it was started; null where there is none. */
  admission: z
    .object({
      /** Grants that let somebody in now. */
      grants: z.int(),
      /** Streams and waiting calls that are open. */
      open: z.int(),
      requests: z.int(),
      /** Messages that have spent a grant. */
      admitted: z.int(),
      /** Requests, by the reason for which they were refused. */
      refused: z.record(z.string(), z.int()),
    })
    .nullable(),
  slots: z.object({ used: z.int(), total: z.int() }),
  personas: z.int(),
  ledger: z.object({
    /** Without it submissions are refused, and running work is kept until it can be recorded. */
    available: z.boolean(),
    reason: z.string().nullable(),
    /** For how long it has not been, as far as anybody has noticed. */
    seconds: z.number().nullable(),
  }),
  /** Null while the ledger cannot be read. */
  tasks: z.object({ pending: z.int(), processing: z.int(), waiting: z.int(), dead: z.int() }).nullable(),
});

export type Status = z.output<typeof status>;
