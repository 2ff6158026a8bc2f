import type { PeerStore } from "../../peers/peer-store.js";
import type { Database } from "../sql-ledger.js";
import { answerPeer } from "./answer-peer.js";
import { findDispatch } from "./hold-dispatch.js";
import { intend } from "./intend.js";
import { note } from "./note.js";
import { holding, lastContacts, receipts } from "./read.js";
import { settleSend } from "./settle-send.js";

/** What passes between us and peers, on a SQL database. */
export const sqlPeerStore = ({ write, read }: Database): PeerStore => ({
  dispatch: (tenant, taskId) => read(() => findDispatch(tenant, taskId)),
  receipts: (tenant, taskId) => read(receipts(tenant, taskId)),
  holding: (peer) => read(holding(peer)),
  lastContacts: () => read(lastContacts),
  intend: (command) => write(intend(command)),
  settleSend: (command) => write(settleSend(command)),
  note: (command) => write(note(command)),
  answer: (command) => write(answerPeer(command)),
});
