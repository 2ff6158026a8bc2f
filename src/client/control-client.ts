import type { AgentCardJson, SendLine } from "../http/control/schema/a2a.js";
import type { AgentTokenJson, KeyBundleJson, RotatedKeyJson } from "../http/control/schema/agent-key.js";
import type { ApprovalJson } from "../http/control/schema/approval.js";
import type { DeadLetterDetail, DeadLetterJson } from "../http/control/schema/dead-letter.js";
import type { DispatchDetail, DispatchJson } from "../http/control/schema/dispatch.js";
import type { GrantDetail, GrantJson } from "../http/control/schema/grant.js";
import type { ApiKeyJson } from "../http/control/schema/key.js";
import type { PeerJson } from "../http/control/schema/peer.js";
import type { PersonaDetail, PersonaSummary } from "../http/control/schema/persona.js";
import type {
  AssignmentJson,
  CompleteLine,
  PlannedTaskJson,
  PlannedTaskSummary,
} from "../http/control/schema/planned-task.js";
import type { PushJson } from "../http/control/schema/push.js";
import type { Reloaded } from "../http/control/schema/reload.js";
import type { RotatedSealing } from "../http/control/schema/sealing.js";
import type { Status } from "../http/control/schema/status.js";
import type { TaskDetail, TaskSummary, TaskTree } from "../http/control/schema/task.js";
import type { FollowLine, TaskEventJson } from "../http/control/schema/task-event.js";
import type { TenantJson } from "../http/control/schema/tenant.js";
import type { GrantObject } from "../plans/grant-object.js";
import type { NuncioError } from "../shared/errors.js";
import { DaemonGoneError } from "./errors.js";
import { readLines } from "./read-lines.js";
import { type ControlRequest, json, send, toError } from "./request.js";

export interface TaskListQuery {
  state?: string | undefined;
  persona?: string | undefined;
  tenant?: string | undefined;
  contextId?: string | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

export interface ApprovalListQuery {
  /** Those that are decided as well. */
  all?: boolean | undefined;
  taskId?: string | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

/** `digest` is of what was looked at: when the approval is for something else, nothing is decided. */
export interface DecisionNote {
  reason?: string | undefined;
  digest?: string | undefined;
}

export interface PushListQuery {
  state?: string | undefined;
  /** Only those whose last attempt failed. */
  failing?: boolean | undefined;
  tenant?: string | undefined;
  limit?: number | undefined;
  cursor?: string | undefined;
}

export interface NewKey {
  name: string;
  tenant?: string | undefined;
  scopes?: string[] | undefined;
  expiresInSeconds?: number | undefined;
}

export interface NewMessage {
  persona: string;
  tenant?: string | undefined;
  text: string;
  contextId?: string | undefined;
  /** Makes the request safe to repeat: the same id and content give the same task. */
  messageId?: string | undefined;
}

/** An agent of the daemon by its name, or any other by its URL. */
export interface AgentAddressee {
  agent?: string | undefined;
  tenant?: string | undefined;
  url?: string | undefined;
  /** A bearer token for the agent at `url`. */
  token?: string | undefined;
}

export interface NewAgentMessage extends AgentAddressee {
  text: string;
  contextId?: string | undefined;
  taskId?: string | undefined;
  messageId?: string | undefined;
  /** Until the task is settled; otherwise until the agent has taken the message. */
  wait: boolean;
}

/** What a command about an assignment answers: what the next one has to name stands at the top. */
export interface AssignedJson {
  plannedTaskId: string;
  revision: number;
  assignmentId: string;
  generation: number;
  assignment: AssignmentJson;
  plannedTask: PlannedTaskSummary;
}

/** Errors are `NuncioError` as the daemon described them; `NoDaemonError` when nobody listens. */
export interface ControlClient {
  status(): Promise<Status>;
  /** Has the daemon take its configuration file as it is now, as a whole or not at all. */
  reload(): Promise<Reloaded>;

  personas(): Promise<{ personas: PersonaSummary[] }>;
  persona(name: string, tenant?: string): Promise<PersonaDetail>;

  send(message: NewMessage): Promise<TaskSummary & { created: boolean }>;
  agentCard(addressee: AgentAddressee): Promise<AgentCardJson>;
  /** What the agent does with the message, ending with what has come of it. Leaving changes nothing about its work. */
  sendToAgent(message: NewAgentMessage, signal?: AbortSignal): AsyncGenerator<SendLine, void>;
  tasks(query?: TaskListQuery): Promise<{ tasks: TaskSummary[]; nextCursor: string | null }>;
  task(id: string): Promise<TaskDetail>;
  tree(id: string): Promise<TaskTree>;
  events(id: string, after?: number, limit?: number): Promise<{ events: TaskEventJson[] }>;
  /**
   * The task and its delegations as they change, beginning with what has happened to it since its event `after`. Ends
   * when the task has ended or waits for its caller. Leaving, or aborting `signal`, changes nothing about the task.
   */
  follow(id: string, options?: { after?: number; signal?: AbortSignal }): AsyncGenerator<FollowLine, void>;
  answer(id: string, text: string, messageId?: string): Promise<TaskDetail & { answeredId: string }>;
  cancel(id: string, reason?: string): Promise<TaskDetail & { canceledIds: string[] }>;
  /** Takes a task that has ended, with all that it delegated, out of the ledger. */
  purgeTask(id: string): Promise<{ purged: number }>;
  /** Those of a conversation, or all that ended long enough ago, for as long as one request may take; `nextCursor` goes on. */
  purgeTasks(query: {
    contextId?: string | undefined;
    tenant?: string | undefined;
    olderThanSeconds?: number | undefined;
    cursor?: string | undefined;
  }): Promise<{ purged: number; kept: number; nextCursor: string | null }>;

  /** What the operator has to decide, newest first. */
  approvals(query?: ApprovalListQuery): Promise<{ approvals: ApprovalJson[]; nextCursor: string | null }>;
  approval(id: string): Promise<ApprovalJson>;
  approve(id: string, note?: DecisionNote): Promise<ApprovalJson>;
  deny(id: string, note?: DecisionNote): Promise<ApprovalJson>;

  /** Admits the text of a plan with the files of a directory, given as an absolute path. */
  createPlannedTask(task: {
    plan: string;
    file?: string | undefined;
    workspace: string;
    tenant?: string | undefined;
  }): Promise<PlannedTaskJson>;
  plannedTasks(query?: {
    tenant?: string | undefined;
    limit?: number | undefined;
    cursor?: string | undefined;
  }): Promise<{ plannedTasks: PlannedTaskSummary[]; nextCursor: string | null }>;
  plannedTask(id: string): Promise<PlannedTaskJson>;
  purgePlannedTask(id: string): Promise<{ id: string; purged: true }>;
  assignStep(
    id: string,
    assignment: {
      step: string;
      profile: string;
      /** `native`, or the name of a pinned peer. */
      runtime: string;
      persona?: string | undefined;
      invocations: number;
      revision: number;
    },
  ): Promise<AssignedJson>;
  runAssignment(
    id: string,
    assignmentId: string,
    run: { generation: number; revision: number; deadlineSeconds?: number | undefined },
  ): Promise<AssignedJson & { childId: string; child: TaskSummary }>;
  /** Runs its checks, and says what each came to; the last line is the planned task. Leaving ends the check that runs. */
  completePlannedTask(id: string, revision: number, signal?: AbortSignal): AsyncGenerator<CompleteLine, void>;

  /** What a peer was given to do by a task, and what is known of it. The peer is not asked. */
  dispatch(id: string): Promise<DispatchDetail>;
  /** Looks at the known remote task, or asks to cancel it; `releaseSlot` frees the slot and asks nobody. */
  reconcile(
    id: string,
    options: { runId: string; cancel?: boolean | undefined; releaseSlot?: boolean | undefined },
  ): Promise<DispatchJson>;
  /** The answer to a peer that asks: it goes out once. */
  answerPeer(id: string, answer: { text: string; revision: number }): Promise<DispatchJson>;

  deadLetters(query?: {
    limit?: number;
    cursor?: string | undefined;
  }): Promise<{ tasks: DeadLetterJson[]; nextCursor: string | null }>;
  deadLetter(id: string): Promise<DeadLetterDetail>;
  retryDeadLetter(id: string): Promise<TaskSummary>;
  /** One, or all of them. */
  purgeDeadLetters(id?: string): Promise<{ purged: number }>;

  /** Push notifications: who is told of which task, newest tasks first. */
  pushes(query?: PushListQuery): Promise<{ pushes: PushJson[]; nextCursor: string | null }>;
  /** One of a task, or all of them. */
  retryPush(taskId: string, id?: string): Promise<{ pushes: PushJson[] }>;
  disablePush(taskId: string, id?: string, reason?: string): Promise<{ pushes: PushJson[] }>;
  /** The pinned peers, as they were last found. */
  peers(): Promise<{ peers: PeerJson[] }>;
  /** Looks at one peer, or all, now. */
  checkPeers(peer?: string): Promise<{ peers: PeerJson[] }>;
  /** Lets an outside peer in, once, for one assignment. The answer goes into the file of the listener. */
  createGrant(grant: {
    assignment: string;
    peer: string;
    /** Absolute path; the daemon reads it. */
    credentialFile: string;
    tenant: string;
    skill: string;
    peerClient?: string | undefined;
    expiresInSeconds?: number | undefined;
  }): Promise<GrantObject>;
  /** Newest first; of one assignment, or all. */
  grants(assignment?: string): Promise<{ grants: GrantJson[] }>;
  grant(id: string): Promise<GrantDetail>;
  revokeGrant(id: string): Promise<GrantJson>;
  /** Seals all that is stored of secrets with a new key. */
  rotateSealing(): Promise<RotatedSealing>;

  createKey(key: NewKey): Promise<ApiKeyJson & { key: string; tenantMade: boolean }>;
  keys(kind?: ApiKeyJson["kind"]): Promise<{ keys: ApiKeyJson[] }>;
  /** Of sessions as well. */
  revokeKey(id: string): Promise<{ id: string; revoked: true }>;
  createSession(session: NewKey): Promise<ApiKeyJson & { token: string; tenantMade: boolean }>;

  createTenant(name: string): Promise<TenantJson>;
  tenants(): Promise<{ tenants: TenantJson[] }>;

  createAgentToken(token: {
    persona: string;
    tenant?: string | undefined;
    /** A SPIFFE id, or the id of an agent of ours. */
    audience: string;
    expiresInSeconds?: number | undefined;
  }): Promise<AgentTokenJson>;
  /** Of one persona, or of all. */
  agentKeys(persona?: string, tenant?: string): Promise<KeyBundleJson>;
  rotateAgentKey(agent: {
    persona: string;
    tenant?: string | undefined;
    atOnce?: boolean | undefined;
  }): Promise<RotatedKeyJson>;
}

/** A client of the daemon that listens on this socket. Connects with each call, so there is nothing to close. */
export function connect(socketPath: string): ControlClient {
  const get = <T>(path: string, query: Record<string, string | number | undefined> = {}) =>
    json<T>(socketPath, { method: "GET", path, query });
  const post = <T>(path: string, body: Record<string, unknown> = {}) =>
    json<T>(socketPath, { method: "POST", path, body });
  const remove = <T>(path: string, query: Record<string, string | number | undefined> = {}) =>
    json<T>(socketPath, { method: "DELETE", path, query });

  return {
    status: () => get("/v1/status"),
    reload: () => post("/v1/reload"),

    personas: () => get("/v1/personas"),
    persona: (name, tenant) => get(`/v1/personas/${segment(name)}`, { tenant }),

    send: (message) => post("/v1/tasks", { ...message }),
    agentCard: (addressee) => post("/v1/a2a/card", { ...addressee }),
    sendToAgent: (message, signal) =>
      lines<SendLine>(socketPath, { method: "POST", path: "/v1/a2a/messages", body: { ...message } }, signal),
    tasks: (query = {}) => get("/v1/tasks", { ...query }),
    task: (id) => get(`/v1/tasks/${segment(id)}`),
    tree: (id) => get(`/v1/tasks/${segment(id)}/tree`),
    events: (id, after, limit) => get(`/v1/tasks/${segment(id)}/events`, { after, limit }),
    follow: (id, options = {}) => follow(socketPath, id, options),
    answer: (id, text, messageId) => post(`/v1/tasks/${segment(id)}/answer`, { text, messageId }),
    cancel: (id, reason) => post(`/v1/tasks/${segment(id)}/cancel`, { reason }),

    purgeTask: (id) => remove(`/v1/tasks/${segment(id)}`),
    purgeTasks: (query) => remove("/v1/tasks", { ...query }),

    approvals: (query = {}) => get("/v1/approvals", { ...query, all: query.all === true ? "true" : undefined }),
    approval: (id) => get(`/v1/approvals/${segment(id)}`),
    approve: (id, note = {}) => post(`/v1/approvals/${segment(id)}/approve`, { ...note }),
    deny: (id, note = {}) => post(`/v1/approvals/${segment(id)}/deny`, { ...note }),

    createPlannedTask: (task) => post("/v1/planned-tasks", { ...task }),
    plannedTasks: (query = {}) => get("/v1/planned-tasks", { ...query }),
    plannedTask: (id) => get(`/v1/planned-tasks/${segment(id)}`),
    purgePlannedTask: (id) => remove(`/v1/planned-tasks/${segment(id)}`),
    assignStep: (id, assignment) => post(`/v1/planned-tasks/${segment(id)}/assignments`, { ...assignment }),
    runAssignment: (id, assignmentId, run) =>
      post(`/v1/planned-tasks/${segment(id)}/assignments/${segment(assignmentId)}/run`, { ...run }),
    completePlannedTask: (id, revision, signal) =>
      lines<CompleteLine>(
        socketPath,
        { method: "POST", path: `/v1/planned-tasks/${segment(id)}/complete`, body: { revision } },
        signal,
      ),

    dispatch: (id) => get(`/v1/dispatches/${segment(id)}`),
    reconcile: (id, options) => post(`/v1/dispatches/${segment(id)}/reconcile`, { ...options }),
    answerPeer: (id, answer) => post(`/v1/dispatches/${segment(id)}/answer`, { ...answer }),

    deadLetters: (query = {}) => get("/v1/dead-letters", query),
    deadLetter: (id) => get(`/v1/dead-letters/${segment(id)}`),
    retryDeadLetter: (id) => post(`/v1/dead-letters/${segment(id)}/retry`),
    purgeDeadLetters: (id) => remove(id === undefined ? "/v1/dead-letters" : `/v1/dead-letters/${segment(id)}`),

    pushes: (query = {}) => get("/v1/pushes", { ...query, failing: query.failing === true ? "true" : undefined }),
    retryPush: (taskId, id) => post(`/v1/tasks/${segment(taskId)}/pushes/retry`, { pushId: id }),
    disablePush: (taskId, id, reason) => post(`/v1/tasks/${segment(taskId)}/pushes/disable`, { pushId: id, reason }),
    peers: () => get("/v1/peers"),
    checkPeers: (peer) => post("/v1/peers/check", { peer }),
    createGrant: (grant) => post("/v1/grants", { ...grant }),
    grants: (assignment) => get("/v1/grants", { assignment }),
    grant: (id) => get(`/v1/grants/${segment(id)}`),
    revokeGrant: (id) => remove(`/v1/grants/${segment(id)}`),
    rotateSealing: () => post("/v1/sealing/rotate"),

    createKey: (key) => post("/v1/keys", { ...key }),
    keys: (kind) => get("/v1/keys", { kind }),
    revokeKey: (id) => remove(`/v1/keys/${segment(id)}`),
    createSession: (session) => post("/v1/sessions", { ...session }),

    createTenant: (name) => post("/v1/tenants", { name }),
    tenants: () => get("/v1/tenants"),

    createAgentToken: (token) => post("/v1/agent-tokens", { ...token }),
    agentKeys: (persona, tenant) => get("/v1/agent-keys", { persona, tenant }),
    rotateAgentKey: (agent) => post("/v1/agent-keys/rotate", { ...agent }),
  };
}

const follow = (
  socketPath: string,
  id: string,
  { after = 0, signal }: { after?: number; signal?: AbortSignal },
): AsyncGenerator<FollowLine, void> =>
  lines(socketPath, { method: "GET", path: `/v1/tasks/${segment(id)}/follow`, query: { after } }, signal);

async function* lines<Line>(
  socketPath: string,
  request: ControlRequest,
  signal: AbortSignal | undefined,
): AsyncGenerator<Line, void> {
  const response = await send(socketPath, { ...request, ...(signal !== undefined && { signal }) });
  try {
    for await (const line of readLines(response)) {
      if ((line as { type: string }).type === "error") throw streamError(toError(line));
      yield line as Line;
    }
  } finally {
    response.destroy();
  }
}

/** A daemon that stops in the middle is gone like one that was killed: what it was asked about goes on later. */
const streamError = (error: NuncioError): NuncioError =>
  error.reason === "SHUTTING_DOWN" ? new DaemonGoneError(error) : error;

/** An empty name would address the list. */
const segment = (name: string): string => encodeURIComponent(name === "" ? " " : name);
