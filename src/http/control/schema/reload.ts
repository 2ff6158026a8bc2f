import { z } from "zod";

/** Names of personas; those of other tenants than the default one as `tenant/name`. */
const names = z.array(z.string());

export const reloaded = z.object({
  personas: z.object({ added: names, changed: names, removed: names }),
  /** Settings that a restart would bring into effect; a file with such a change is refused, so that there are none. */
  restartNeeded: z.array(z.string()),
});

export type Reloaded = z.output<typeof reloaded>;
