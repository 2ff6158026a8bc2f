import { messagePieces, taskPieces } from "../stream-pieces.js";
import { checkTenant, requireExecute, throwReason } from "./call-checks.js";
import type { Operation } from "./operation.js";
import { refuseUnofferedPush } from "./push-offered.js";

/** Send Streaming Message (A2A 1.0, 3.1.2; 0.3, 7.2). */
export const stream: Operation = async ({ caller, codec, params, closed }, { core, onFault }) => {
  const request = codec.readSend(params);
  checkTenant(caller, request.interfaceTenant);
  requireExecute(caller);
  refuseUnofferedPush(caller, request.push);
  const gone = closed();
  const sent = await core.streamMessage(caller, request, gone);
  throwReason(gone);
  return {
    type: "stream",
    pieces: (framing) =>
      "events" in sent
        ? taskPieces(sent, codec, framing, request.historyLength, gone, onFault)
        : messagePieces(sent, codec, framing),
  };
};
