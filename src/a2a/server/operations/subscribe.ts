import { taskPieces } from "../stream-pieces.js";
import { checkTenant, throwReason } from "./call-checks.js";
import type { Operation } from "./operation.js";

/** Subscribe to Task (A2A 1.0, 3.1.6; 0.3, 7.9). */
export const subscribe: Operation = async ({ caller, codec, params, lastSeen, closed }, { core, onFault }) => {
  const { id, interfaceTenant } = codec.readTask(params);
  checkTenant(caller, interfaceTenant);
  const gone = closed();
  const followed = await core.subscribe(caller, id, lastSeen, gone);
  throwReason(gone);
  return { type: "stream", pieces: (framing) => taskPieces(followed, codec, framing, undefined, gone, onFault) };
};
