import type { Grant, PeerClient } from "../../../plans/grant.js";
import type { Ending } from "../../../shared/ending.js";
import { NuncioError } from "../../../shared/errors.js";
import type { Task, TaskSnapshot } from "../../../tasks/task.js";
import type { TaskService } from "../../../tasks/task-service.js";
import type { ListRequest, SendRequest } from "../../protocol/requests.js";
import type { TaskListPage } from "../../protocol/v1/lists.js";
import type { Caller } from "../caller.js";
import { A2aCore, type Core, type CoreDeps, type Followed, type Sent } from "../core.js";
import { taskNotFound } from "../refusals.js";
import type { AdmissionDesk } from "./admission-desk.js";
import { checkFresh } from "./request-checks.js";
import { shownEvents, shownStatus } from "./shown-status.js";

/** A request, and the grant that it came by. */
export interface AdmittedRequest {
  grant: Grant;
  /** Of its body. */
  bytes: number;
  peerClient: PeerClient | null;
}

/**
 * The operations of A2A for one request of a peer: those of everybody else, except that a message spends the grant, that no
 * task is there but those of the grants of this peer for this tenant, and that of a task the peer sees what came of it and
 * not what was prepared for it.
 */
export class AdmissionCore implements Core {
  readonly #request: AdmittedRequest;
  readonly #desk: AdmissionDesk;
  readonly #core: A2aCore;

  constructor(deps: CoreDeps, desk: AdmissionDesk, request: AdmittedRequest) {
    this.#request = request;
    this.#desk = desk;
    const tasks: TaskService = { ...deps.tasks, submit: (task) => this.#admit(task), answer: () => refuse() };
    // What a persona says to its own callers as a bare message is, for a peer, a task as well: its grant names it.
    this.#core = new A2aCore({ ...deps, tasks, answersWithMessage: () => false });
  }

  async sendMessage(caller: Caller, request: SendRequest, waiting: Ending): Promise<Sent> {
    checkFresh(request, this.#request.grant.skill);
    const sent = await this.#core.sendMessage(caller, request, waiting);
    return sent.type === "task" ? { ...sent, task: await this.#shown(sent.task) } : sent;
  }

  async streamMessage(caller: Caller, request: SendRequest, closed: Ending): Promise<Followed> {
    checkFresh(request, this.#request.grant.skill);
    const followed = await this.#core.streamMessage(caller, request, closed);
    if (!("events" in followed)) throw new Error("a peer was answered with a bare message");
    return { task: await this.#shown(followed.task), events: shownEvents(followed.events) };
  }

  async getTask(caller: Caller, taskId: string): Promise<TaskSnapshot> {
    await this.#requireOwn(caller, taskId);
    return this.#shown(await this.#core.getTask(caller, taskId));
  }

  async cancelTask(caller: Caller, taskId: string): Promise<TaskSnapshot> {
    await this.#requireOwn(caller, taskId);
    return this.#shown(await this.#core.cancelTask(caller, taskId));
  }

  async subscribe(caller: Caller, taskId: string, lastSeen: number | undefined, closed: Ending): Promise<Followed> {
    await this.#requireOwn(caller, taskId);
    const followed = await this.#core.subscribe(caller, taskId, lastSeen, closed);
    return { task: await this.#shown(followed.task), events: shownEvents(followed.events) };
  }

  listTasks(_caller: Caller, _request: ListRequest): Promise<TaskListPage> {
    return refuse();
  }

  enlist(task: Task): Promise<void> {
    return this.#core.enlist(task);
  }

  #admit({ message, bodyHash, contextId, hop = 0 }: Parameters<TaskService["submit"]>[0]) {
    const { grant, bytes, peerClient } = this.#request;
    return this.#desk.admit(grant, {
      ...{ message, bodyHash, hop, bytes, peerClient },
      contextId: contextId ?? null,
    });
  }

  /** Also of a grant that was renewed since. Of one that was revoked nothing is seen, until the same work is granted anew. */
  async #requireOwn({ persona }: Caller, taskId: string): Promise<void> {
    const { grant } = this.#request;
    const by = await this.#desk.grantOf(persona.tenant, taskId);
    const own = by !== null && by.peer === grant.peer && by.interfaceTenant === grant.interfaceTenant;
    if (!own || (by.revokedAt !== null && !renews(grant, by.assignmentId, by.revokedAt))) throw taskNotFound(taskId);
  }

  /**
   * Instruction, profile and files of the work stand in the message that the run was given: it is never shown, nor is what
   * we say of how the work goes on. The conversation goes by the name that the peer has given it.
   */
  async #shown(task: TaskSnapshot): Promise<TaskSnapshot> {
    const by = await this.#desk.grantOf(task.tenant, task.id);
    const contextId = by?.spent?.peerContextId ?? task.contextId;
    return { ...task, ...shownStatus(task), history: [], work: null, contextId };
  }
}

const renews = (grant: Grant, assignmentId: string, revokedAt: number): boolean =>
  grant.assignmentId === assignmentId && grant.createdAt >= revokedAt;

function refuse(): Promise<never> {
  return Promise.reject(new NuncioError("unsupported", "not offered here", { reason: "UNSUPPORTED_OPERATION" }));
}
