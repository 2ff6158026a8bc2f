import { z } from "zod";

const url = z.string().nullable();

export const status = z.object({
  pid: z.int(),
  version: z.string(),
  uptimeSeconds: z.number(),
  dataDir: z.string(),
  draining: z.boolean(),
  listeners: z.object({ http: url, grpc: url, console: url }),
  slots: z.object({ used: z.int(), total: z.int() }),
  personas: z.int(),
  tasks: z.object({ pending: z.int(), processing: z.int(), waiting: z.int(), dead: z.int() }),
});

export type Status = z.output<typeof status>;
