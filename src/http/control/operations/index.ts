import type { Operation } from "../operation.js";
import { listDeadLetters } from "./dead-letters/list.js";
import { purgeDeadLetter, purgeDeadLetters } from "./dead-letters/purge.js";
import { retryDeadLetter } from "./dead-letters/retry.js";
import { showDeadLetter } from "./dead-letters/show.js";
import { createKey } from "./keys/create.js";
import { listKeys } from "./keys/list.js";
import { revokeKey } from "./keys/revoke.js";
import { listPersonas } from "./personas/list.js";
import { showPersona } from "./personas/show.js";
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

/** Everything that the operator can ask of the daemon. */
export const operations: readonly Operation[] = [
  showStatus,
  listPersonas,
  showPersona,
  sendTask,
  listTasks,
  showTask,
  showTree,
  listEvents,
  followTask,
  answerTask,
  cancelTask,
  purgeTask,
  purgeTasks,
  listDeadLetters,
  showDeadLetter,
  retryDeadLetter,
  purgeDeadLetter,
  purgeDeadLetters,
  createKey,
  listKeys,
  revokeKey,
];
