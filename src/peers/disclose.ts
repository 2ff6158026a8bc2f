import type { PlannedTask } from "../plans/plan.js";
import type { PlanStore } from "../plans/plan-store.js";
import { digestOf } from "../shared/digest.js";
import { NuncioError } from "../shared/errors.js";
import type { DisclosedFile } from "./dispatch.js";

/** A file that a peer is shown, as it was admitted: never as it is now. */
export interface PinnedFile extends DisclosedFile {
  text: string;
}

/** Bytes of all files of one message together. */
const MAX_DISCLOSED = 8 * 1024 * 1024;

/**
 * The pinned files out of the snapshot of a planned task, in the order of the pin. One that cannot be shown as it was
 * reviewed stops the whole dispatch: half of what was pinned is not what the operator has reviewed.
 *
 * @throws NuncioError failed_precondition FILE_NOT_DISCLOSED
 */
export async function pinnedFiles(
  plans: Pick<PlanStore, "files" | "content">,
  { tenant, id }: Pick<PlannedTask, "tenant" | "id">,
  paths: readonly string[],
): Promise<PinnedFile[]> {
  if (paths.length === 0) return [];
  const admitted = new Map((await plans.files(tenant, id)).map((file) => [file.path, file]));
  const files: PinnedFile[] = [];
  let bytes = 0;
  for (const path of paths) {
    const file = admitted.get(path);
    if (file === undefined) throw refused(path, "the snapshot does not hold it");
    if (file.leftOut !== null) throw refused(path, `it was left out of the snapshot: ${file.leftOut}`);
    bytes += file.bytes;
    if (bytes > MAX_DISCLOSED) throw refused(path, `with it the files have more than ${MAX_DISCLOSED} bytes`);
    const content = await plans.content(tenant, id, path);
    if (content === null) throw refused(path, "its content is gone");
    const digest = digestOf(content);
    if (digest !== file.digest) throw refused(path, "its content is not what was admitted");
    files.push({ path, digest, bytes: content.byteLength, text: textIn(content, path) });
  }
  return files;
}

const UTF8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function textIn(content: Uint8Array, path: string): string {
  if (!content.includes(0)) {
    try {
      return UTF8.decode(content);
    } catch {
      // Said below.
    }
  }
  throw refused(path, "it is not UTF-8 text");
}

const refused = (path: string, why: string): NuncioError =>
  new NuncioError("failed_precondition", `the pinned file ${JSON.stringify(path)} cannot be disclosed: ${why}`, {
    reason: "FILE_NOT_DISCLOSED",
    hint: "pin the peer with other files, or admit a planned task whose snapshot holds this one as text",
    details: { path },
  });
