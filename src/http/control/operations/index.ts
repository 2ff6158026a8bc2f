import type { Operation } from "../operation.js";
import { readAgentCard } from "./a2a/card.js";
import { sendToAgent } from "./a2a/send.js";
import { listAgentKeys } from "./agent-keys/list.js";
import { rotateAgentKey } from "./agent-keys/rotate.js";
import { createAgentToken } from "./agent-tokens/create.js";
import { approve, deny } from "./approvals/decide.js";
import { listApprovals } from "./approvals/list.js";
import { showApproval } from "./approvals/show.js";
import { listDeadLetters } from "./dead-letters/list.js";
import { purgeDeadLetter, purgeDeadLetters } from "./dead-letters/purge.js";
import { retryDeadLetter } from "./dead-letters/retry.js";
import { showDeadLetter } from "./dead-letters/show.js";
import { answerPeer } from "./dispatches/answer.js";
import { reconcileDispatch } from "./dispatches/reconcile.js";
import { showDispatch } from "./dispatches/show.js";
import { createGrant } from "./grants/create.js";
import { listGrants } from "./grants/list.js";
import { revokeGrant } from "./grants/revoke.js";
import { showGrant } from "./grants/show.js";
import { createKey } from "./keys/create.js";
import { listKeys } from "./keys/list.js";
import { revokeKey } from "./keys/revoke.js";
import { checkPeers } from "./peers/check.js";
import { listPeers } from "./peers/list.js";
import { listPersonas } from "./personas/list.js";
import { showPersona } from "./personas/show.js";
import { assignStep } from "./planned-tasks/assign.js";
import { completePlannedTask } from "./planned-tasks/complete.js";
import { createPlannedTask } from "./planned-tasks/create.js";
import { listPlannedTasks } from "./planned-tasks/list.js";
import { purgePlannedTask } from "./planned-tasks/purge.js";
import { runAssignment } from "./planned-tasks/run.js";
import { showPlannedTask } from "./planned-tasks/show.js";
import { disablePush } from "./push/disable.js";
import { listPushes } from "./push/list.js";
import { retryPush } from "./push/retry.js";
import { reload } from "./reload.js";
import { rotateSealing } from "./sealing/rotate.js";
import { createSession } from "./sessions/create.js";
import { showStatus } from "./status.js";
import { answerTask } from "./tasks/answer.js";
import { cancelTask } from "./tasks/cancel.js";
import { listEvents } from "./tasks/events.js";
import { followTask } from "./tasks/follow.js";
import { listTasks } from "./tasks/list.js";
import { purgeTask, purgeTasks } from "./tasks/purge.js";
import { sendTask } from "./tasks/send.js";
import { showTask } from "./tasks/show.js";
import { showTree } from "./tasks/tree.js";
import { createTenant } from "./tenants/create.js";
import { listTenants } from "./tenants/list.js";

/** Everything that the operator can ask of the daemon. */
export const operations: readonly Operation[] = [
  showStatus,
  reload,
  listPersonas,
  showPersona,
  sendTask,
  readAgentCard,
  sendToAgent,
  listTasks,
  showTask,
  showTree,
  listEvents,
  followTask,
  answerTask,
  cancelTask,
  purgeTask,
  purgeTasks,
  createPlannedTask,
  listPlannedTasks,
  showPlannedTask,
  assignStep,
  runAssignment,
  purgePlannedTask,
  completePlannedTask,
  showDispatch,
  reconcileDispatch,
  answerPeer,
  listApprovals,
  showApproval,
  approve,
  deny,
  listDeadLetters,
  showDeadLetter,
  retryDeadLetter,
  purgeDeadLetter,
  purgeDeadLetters,
  listPushes,
  retryPush,
  disablePush,
  listPeers,
  checkPeers,
  createGrant,
  listGrants,
  showGrant,
  revokeGrant,
  rotateSealing,
  createKey,
  listKeys,
  revokeKey,
  createSession,
  createTenant,
  listTenants,
  createAgentToken,
  listAgentKeys,
  rotateAgentKey,
];
