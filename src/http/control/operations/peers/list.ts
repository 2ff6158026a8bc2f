import { z } from "zod";
import { operation } from "../../operation.js";
import { peersOf } from "../../peer-json.js";
import { peer } from "../../schema/peer.js";

/** The pinned peers, as they were last found. */
export const listPeers = operation({
  method: "GET",
  path: "/v1/peers",
  request: z.strictObject({}),
  response: z.object({ peers: z.array(peer) }),
  handle: async (_request, { peers }) => ({ peers: await peersOf(peers.registry.list(), peers.store) }),
});
