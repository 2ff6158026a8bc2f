import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { credentialDigest, makeCredentialFile } from "../../../src/access/credentials/credential-file.js";
import { makePin, type Reviewed } from "../../../src/peers/make-pin.js";
import type { Pin } from "../../../src/peers/pin.js";
import { canary } from "../secrets/planted.js";

/** A directory for the files of an operator; only the owner may look into it. */
export function operatorFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "nuncio-operator-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** The credential of a peer in a file of its own, with a token that is looked for in all that is said. */
export function credentialFile(folder: string, peer: string): { file: string; token: string } {
  const token = canary(`the token of ${peer}`);
  const file = join(folder, `${peer}.json`);
  makeCredentialFile(file, { type: "bearer", facts: { peer }, secret: { plain: token } });
  return { file, token };
}

/** A peer on this machine, pinned as it is. */
export function pinOf(
  peer: string,
  { origin, card, file, token }: { origin: string; card: Pin["card"]; file: string; token: string },
  rest: Partial<Reviewed> = {},
): Pin {
  return makePin({
    peer,
    endpoint: `${origin}/a2a`,
    cardUrl: `${origin}/.well-known/agent-card.json`,
    addresses: ["127.0.0.1"],
    local: true,
    card,
    skill: "review",
    tenant: null,
    files: [],
    supports: { cancel: true, streaming: false },
    retention: "unknown",
    credentialFile: file,
    credentialDigest: credentialDigest(token),
    slots: 1,
    pinnedAt: new Date(0).toISOString(),
    ...rest,
  });
}
