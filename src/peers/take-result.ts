import type { RemoteTask } from "../a2a/client/remote-task.js";
import { canonicalJson } from "../shared/canonical-json.js";
import { digestOf } from "../shared/digest.js";
import type { JsonValue } from "../shared/json.js";
import { type Artifact, type Message, type Part, textOf } from "../tasks/message.js";
import type { DispatchResult, ResultArtifact } from "./dispatch.js";

/** Bytes of what is taken of one task. */
const MAX_RESULT = 4 * 1024 * 1024;
const MAX_ARTIFACTS = 200;
const MAX_MESSAGE = 16_384;

/** What a task that has ended holds: text and data. Files in it are left out, and what a URL names is never fetched. */
export const resultOfTask = ({ artifacts, statusMessage }: Pick<RemoteTask, "artifacts" | "statusMessage">) =>
  taken(artifacts, statusMessage === null ? null : textOf(statusMessage));

/** Where the peer answered with a message and made no task of it, that is all there is. */
export const resultOfMessage = ({ parts }: Pick<Message, "parts">) => taken([{ parts, name: "answer" }], null);

function taken(artifacts: readonly Pick<Artifact, "name" | "parts">[], said: string | null): DispatchResult {
  const kept: ResultArtifact[] = [];
  const leftOut: string[] = [];
  let total = 0;
  for (const [at, { name, parts: given }] of artifacts.entries()) {
    const what = `artifact ${at + 1}`;
    if (kept.length === MAX_ARTIFACTS) {
      leftOut.push(`${artifacts.length - at} artifacts behind the first ${MAX_ARTIFACTS}`);
      break;
    }
    const parts = given.filter(isInline).map(plain);
    for (const part of given)
      if (!isInline(part)) leftOut.push(`a file of ${what}${"url" in part ? ", behind a URL" : ""}`);
    const canonical = canonicalOf(parts);
    if (canonical === null) {
      leftOut.push(`${what}, which is no valid text`);
      continue;
    }
    const bytes = Buffer.byteLength(canonical);
    if (total + bytes > MAX_RESULT) {
      leftOut.push(`${what}, of ${bytes} bytes: no more than ${MAX_RESULT} are taken`);
      continue;
    }
    total += bytes;
    kept.push({ name: name ?? null, digest: digestOf(canonical), bytes, parts });
  }
  return { artifacts: kept, message: cut(said), leftOut: leftOut.slice(0, MAX_ARTIFACTS) };
}

const isInline = (part: Part): boolean => "text" in part || "data" in part;

/** What else a peer has attached to a part is not part of the analysis. */
const plain = (part: Part): Part => {
  const named = {
    ...(part.filename !== undefined && { filename: part.filename }),
    ...(part.mediaType !== undefined && { mediaType: part.mediaType }),
  };
  return "text" in part ? { text: part.text, ...named } : { data: "data" in part ? part.data : null, ...named };
};

/** Null for what no canonical form exists of, such as half a surrogate pair. */
function canonicalOf(parts: readonly Part[]): string | null {
  try {
    return canonicalJson(parts as unknown as JsonValue);
  } catch {
    return null;
  }
}

const cut = (text: string | null): string | null =>
  text === null || text === "" ? null : text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)}…` : text;
