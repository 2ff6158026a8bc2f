import type { AdmissionCounts, AdmissionFacts } from "../a2a/server/admission/admission-counts.js";
import type { AdmissionDeskParts } from "../a2a/server/admission/admission-desk.js";
import type { AdmittedPeer } from "../a2a/server/admission/grant-door.js";
import type { ListenerFile } from "../a2a/server/admission/listener-file.js";
import type { LoadedGrants } from "../a2a/server/admission/load-grants.js";
import type { CoreDeps } from "../a2a/server/core.js";
import { OpenCalls } from "../a2a/server/open-calls.js";
import type { OperationDeps } from "../a2a/server/operations/operation.js";
import type { HttpServer } from "../http/server.js";
import type { GrantStore } from "../plans/grant.js";
import type { PlanStore } from "../plans/plan-store.js";
import type { Clock } from "../shared/clock.js";
import { NuncioError } from "../shared/errors.js";
import type { Logger } from "../telemetry/logger.js";
import { listenRefusal } from "./listen-refusal.js";

export interface AdmissionParts {
  /** What the operator wrote of the listener; null without one. */
  file: string | null;
  stores(): Promise<{ grants: GrantStore; plans: PlanStore }>;
  core: CoreDeps;
  operations: OperationDeps;
  submission: AdmissionDeskParts["submission"];
  hosts: AdmissionDeskParts["hosts"];
  clock: Clock;
  logger: Logger;
}

/** The listener for peers; where there is no file for it, none of it is loaded. */
export interface Admission {
  /** Reads the file, and holds it against the ledger. */
  load(): Promise<void>;
  listen(): Promise<void>;
  /** Another content of the file, ready to be taken. The answer brings it into force. */
  prepare(): Promise<() => void>;
  facts(): AdmissionFacts | null;
  /** Those that the grants of the file name. */
  credentialFiles(): string[];
  /** Ends what waits: nothing that is begun now would last. */
  end(): void;
  close(): Promise<void>;
}

export function composeAdmission({ file, ...parts }: AdmissionParts): Admission {
  let opened: OpenAdmission | undefined;
  return {
    async load() {
      if (file !== null) opened = await openAdmission(file, parts);
    },
    listen: async () => opened?.listen(),
    prepare: async () => (await opened?.prepare()) ?? (() => {}),
    facts: () => opened?.facts() ?? null,
    credentialFiles: () => opened?.credentialFiles() ?? [],
    end: () => opened?.end(),
    close: async () => opened?.close(),
  };
}

type OpenAdmission = Omit<Admission, "load">;

async function openAdmission(path: string, parts: Omit<AdmissionParts, "file">): Promise<OpenAdmission> {
  const { core, operations, submission, hosts, clock, logger } = parts;
  const { readListenerFile } = await import("../a2a/server/admission/listener-file.js");
  const { loadGrants } = await import("../a2a/server/admission/load-grants.js");
  const { GrantDoor } = await import("../a2a/server/admission/grant-door.js");
  const { AdmissionBinding } = await import("../a2a/server/admission/admission-binding.js");
  const { AdmissionCounts } = await import("../a2a/server/admission/admission-counts.js");
  const { AdmissionDesk } = await import("../a2a/server/admission/admission-desk.js");
  const { grantCard } = await import("../a2a/server/admission/grant-card.js");
  const { served } = await import("../a2a/server/cards/served.js");
  const { createAdmissionServer } = await import("../http/admission/server.js");
  const { messageText } = await import("../runtimes/message-text.js");
  const stores = await parts.stores();
  const { grants } = stores;

  let listener = readListenerFile(path);
  let changedAt = clock.now();
  let url: string | undefined;
  const baseUrl = () => listener.publicUrl ?? (url as string);
  const door = new GrantDoor(clock);
  const calls = new OpenCalls<AdmittedPeer>(clock, door);
  const counts = new AdmissionCounts();
  const take = (next: ListenerFile, { served, ended }: LoadedGrants) => {
    for (const { id, peer } of ended) logger.warn({ grant: id, peer, file: path }, "a grant lets nobody in any more");
    listener = next;
    changedAt = clock.now();
    door.replace(served);
    calls.decideAgain();
  };
  take(listener, await loadGrants(path, listener, stores, clock.now()));

  const endOf = (id: string) => {
    door.revoke(id);
    calls.endOfKey(id);
  };
  const stopRevoked = grants.onRevoked(endOf);
  const stopMissed = grants.onMissed(() => void lookForRevoked());
  /** Another node may have revoked one, and its word was lost. */
  async function lookForRevoked(): Promise<void> {
    for (const { grant } of door.served) {
      const now = await grants.find(grant.id).catch(() => grant);
      if (now === null || now.revokedAt !== null) endOf(grant.id);
    }
  }

  // What others send is in no log: who it was, and which rule it met.
  const onRefused = ({ grant }: AdmittedPeer, error: NuncioError) => {
    const reason = error.reason ?? error.code.toUpperCase();
    counts.refuse(reason);
    logger.warn({ peer: grant.peer, grant: grant.id, reason }, "a request of a peer was refused");
  };
  const desk = new AdmissionDesk({
    ...{ ...stores, ledger: core.ledger, clock, submission, hosts, textOf: messageText },
    onAdmitted: (grant, taskId) => {
      counts.admitted += 1;
      logger.info({ peer: grant.peer, grant: grant.id, taskId }, "a peer was let in: its grant is spent");
    },
    onInadmissible: (grant, { message, reason }) =>
      logger.warn({ peer: grant.peer, grant: grant.id, reason }, `a grant cannot be spent: ${message}`),
  });
  const { onFault } = operations;
  const binding = new AdmissionBinding({ core, operations, desk, onRefused });
  const server: HttpServer = createAdmissionServer(listener, {
    ...{ door, calls, binding, counts, onRefused, onFault },
    cardFor: ({ grant }) => ({ card: served(grantCard(grant, baseUrl())), changedAt }),
    onTurnedAway(refusal) {
      counts.refuse(refusal.why.toUpperCase());
      logger.debug({ why: refusal.why }, "somebody was turned away at the door for peers");
    },
  });

  return {
    async listen() {
      const { host } = listener;
      const { port } = await server.listen().catch((error) => {
        throw listenRefusal(error, listener, `port of ${path}`);
      });
      url = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
      logger.info({ url, publicUrl: listener.publicUrl, grants: door.served.length }, "peers are let in");
    },
    async prepare() {
      const next = readListenerFile(path);
      if (next.host !== listener.host || next.port !== listener.port) throw restartNeeded(path);
      const loaded = await loadGrants(path, next, stores, clock.now());
      return () => take(next, loaded);
    },
    facts: () => (url === undefined ? null : factsOf(url, door.inForce, calls.size, counts)),
    credentialFiles: () => listener.grants.map(({ credentialFile }) => credentialFile),
    end() {
      stopRevoked();
      stopMissed();
      calls.endAll();
    },
    close: () => server.close(),
  };
}

const factsOf = (url: string, grants: number, open: number, counts: AdmissionCounts): AdmissionFacts => ({
  ...{ url, grants, open },
  requests: counts.requests,
  admitted: counts.admitted,
  refused: counts.refused,
});

const restartNeeded = (path: string): NuncioError =>
  new NuncioError("failed_precondition", `restart to change host or port in ${path}; nothing was changed`, {
    reason: "RESTART_NEEDED",
    hint: "restart the daemon, or put them back as they were and reload again",
  });
