import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { makeDirectory } from "../shared/make-directory.js";
import { fileRefused, readOwnerJson } from "../shared/owner-json.js";
import { writeSecretFile } from "../shared/secret-file.js";
import type { Drift } from "./drift.js";
import type { PeerRegistry } from "./peer-registry.js";

/** A pin whose peer was found to differ from it. */
interface Stopped {
  peer: string;
  pinDigest: string;
  since: number;
  drift: Drift;
}

const nullableText = z.string().nullable();
const stopped = z.strictObject({
  peer: z.string(),
  pinDigest: z.string(),
  since: z.number(),
  drift: z.strictObject({
    differences: z.array(
      z.strictObject({
        what: z.enum(["card", "card_keys", "addresses", "credential"]),
        path: nullableText,
        before: nullableText,
        after: nullableText,
      }),
    ),
    leftOut: z.number(),
  }),
});
const file = z.strictObject({ schema: z.literal(1), stopped: z.array(stopped) });

const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Which peers are stopped, kept over restarts: one that was another for an hour, and is again what was reviewed, waits for the
 * operator as well.
 */
export class StoppedFile {
  constructor(private readonly path: string) {}

  /** @throws NuncioError for a file that is not ours */
  read(): Stopped[] {
    const mend = `nuncio a2a pin, for each peer of the registry, then rm ${this.path}`;
    if (!existsSync(this.path)) return [];
    const parsed = file.safeParse(readOwnerJson(this.path, MAX_BYTES, { make: mend, mend }));
    if (!parsed.success) throw fileRefused(this.path, "does not tell which peers are stopped", mend);
    return parsed.data.stopped;
  }

  write(registry: PeerRegistry): void {
    const stopped = registry
      .list()
      .flatMap(({ pin: { peer }, pinDigest, state }) =>
        state.type === "stopped" ? [{ peer, pinDigest, since: state.since, drift: state.drift }] : [],
      );
    makeDirectory(dirname(this.path), 0o700);
    writeSecretFile(this.path, `${JSON.stringify({ schema: 1, stopped }, null, 2)}\n`, true);
  }
}
