import { type Params, readSend as readSpelled, type SendSpelling } from "../read-request.js";
import type { SendRequest } from "../requests.js";
import { readMessage } from "./messages.js";
import { readPush } from "./push.js";

const SPELLING: SendSpelling = {
  readMessage,
  flag: "blocking",
  flagBlocks: true,
  push: "pushNotificationConfig",
  readPush,
};

/** `MessageSendParams` (A2A 0.3, 7.1.1): answered at once unless the client wants to wait. */
export const readSend = (params: Params): SendRequest => readSpelled(params, SPELLING);

/** `TaskQueryParams` and `TaskIdParams` (A2A 0.3, 7.3.1 and 7.4.1). */
export { readTask } from "../read-request.js";
