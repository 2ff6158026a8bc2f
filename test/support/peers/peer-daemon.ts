import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Reviewed } from "../../../src/peers/make-pin.js";
import type { Pin } from "../../../src/peers/pin.js";
import { atTheEnd } from "../at-the-end.js";
import type { DaemonOptions } from "../daemon/daemon-process.js";
import { startDaemon, type TestDaemon } from "../daemon/start-daemon.js";
import { credentialFile, operatorFolder, pinOf } from "./pinned-peer.js";
import { PeerProgram, type PeerProgramName } from "./start-peer.js";

/** A daemon with the files of its operator, for all tests of a file. */
export interface PeerDaemon {
  daemon: TestDaemon;
  folder: string;
  /** The URL of its listener for peers. */
  admission(): Promise<string>;
  /** Starts a peer and pins it as it is now. */
  peer(name: string, program: PeerProgramName, rest?: Partial<Reviewed>): Promise<PeerProgram>;
  /** Pins a peer that is there already, with a credential of its own. */
  pin(name: string, at: { origin: string; card: Pin["card"] }, rest?: Partial<Reviewed>): Promise<void>;
  /** Puts a grant for this assignment into force, with a credential of its own. */
  grant(grant: { assignment: string; peer: string; peerClient?: string }): Promise<{ file: string; token: string }>;
  /** Admits a workspace with these files and gives its one step away; `run` makes the task. */
  give(
    work: GivenWork,
  ): Promise<{ planId: string; assignmentId: string; run(deadlineSeconds?: number): Promise<string> }>;
}

export interface GivenWork {
  to: { peer: string } | { persona: string };
  instruction?: string;
  workspace?: string;
  invocations?: number;
}

const TENANT = "project-one";
const SKILL = "review";

export async function startPeerDaemon(config: object, options: DaemonOptions = {}): Promise<PeerDaemon> {
  const folder = operatorFolder();
  atTheEnd(() => folder.remove());
  const at = (name: string) => join(folder.path, name);
  const [peersFile, grantsFile] = [at("peers.json"), at("grants.json")];
  const pins: Pin[] = [];
  const grants: object[] = [];
  const write = () => {
    writeFileSync(peersFile, JSON.stringify({ schema: 1, peers: pins }), { mode: 0o600 });
    writeFileSync(grantsFile, JSON.stringify({ schema: 1, host: "127.0.0.1", port: 0, grants }), { mode: 0o600 });
  };
  write();
  const args = ["--a2a-config", peersFile, "--a2a-listen-config", grantsFile];
  const daemon = await startDaemon(config, { ...options, args }, atTheEnd);
  const { client } = daemon;
  mkdirSync(at("empty"));
  return {
    daemon,
    folder: folder.path,
    admission: async () => (await client.status()).listeners.admission as string,
    async peer(name, program, rest = {}) {
      const credential = credentialFile(folder.path, name);
      const peer = await PeerProgram.start(program, ["--token-file", credential.file]);
      atTheEnd(() => peer.stop());
      const authorization = `Bearer ${credential.token}`;
      const card = (await (await fetch(peer.cardUrl, { headers: { authorization } })).json()) as Pin["card"];
      peer.events.length = 0;
      pins.push(pinOf(name, { origin: peer.origin, card, ...credential }, rest));
      write();
      await client.reload();
      return peer;
    },
    async pin(name, at, rest = {}) {
      pins.push(pinOf(name, { ...at, ...credentialFile(folder.path, name) }, rest));
      write();
      await client.reload();
    },
    async grant(grant) {
      const credential = credentialFile(folder.path, grant.peer);
      grants.push(
        await client.createGrant({ ...grant, credentialFile: credential.file, tenant: TENANT, skill: SKILL }),
      );
      write();
      await client.reload();
      return credential;
    },
    async give({ to, instruction = "Look at it", workspace = at("empty"), invocations = 3 }) {
      const plan = JSON.stringify({
        ...{ schema: 1, title: "t", checks: [{ name: "c", command: "true" }] },
        steps: [{ id: "s", instruction, ...("persona" in to && { persona: to.persona }) }],
        limits: { invocations, token_units: null },
      });
      const planned = await client.createPlannedTask({ plan, workspace });
      const given = await client.assignStep(planned.id, {
        ...{ step: "s", profile: "nuncio/reviewer", invocations, revision: planned.revision },
        runtime: "peer" in to ? to.peer : "native",
      });
      let { revision, generation } = given;
      return {
        planId: planned.id,
        assignmentId: given.assignmentId,
        async run(deadlineSeconds) {
          const begun = await client.runAssignment(planned.id, given.assignmentId, {
            revision,
            generation,
            deadlineSeconds,
          });
          ({ revision, generation } = begun);
          return begun.childId;
        },
      };
    },
  };
}

/** A directory with these files, in which nothing was admitted yet. */
export function workspaceOf(folder: string, files: Record<string, string>): string {
  const path = join(folder, "workspace");
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  return path;
}
