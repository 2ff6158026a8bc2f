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
import { createKey } from "./keys/create.js";
import { listKeys } from "./keys/list.js";
import { revokeKey } from "./keys/revoke.js";
import { listPersonas } from "./personas/list.js";
import { showPersona } from "./personas/show.js";
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
