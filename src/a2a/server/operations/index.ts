import { cancel } from "./cancel.js";
import { createPush } from "./create-push.js";
import { deletePush } from "./delete-push.js";
import { extendedCard } from "./extended-card.js";
import { get } from "./get.js";
import { getPush } from "./get-push.js";
import { list } from "./list.js";
import { listPush } from "./list-push.js";
import type { Operation, OperationName } from "./operation.js";
import { send } from "./send.js";
import { stream } from "./stream.js";
import { subscribe } from "./subscribe.js";

/** What every binding serves: the operations exist once, and with them what is checked and who may. */
export const OPERATIONS: Record<OperationName, Operation> = {
  send,
  stream,
  get,
  list,
  cancel,
  subscribe,
  createPush,
  getPush,
  listPush,
  deletePush,
  extendedCard,
};
