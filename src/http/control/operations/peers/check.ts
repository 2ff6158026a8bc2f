import { z } from "zod";
import { requirePinned } from "../../../../peers/desk.js";
import { operation } from "../../operation.js";
import { peersOf } from "../../peer-json.js";
import { peer } from "../../schema/peer.js";

/** How many are looked at together. */
const AT_ONCE = 8;

/** Looks at one peer, or all, now: reads the card, and compares what is found with the pin. Nothing else is sent. */
export const checkPeers = operation({
  method: "POST",
  path: "/v1/peers/check",
  request: z.strictObject({ peer: z.string().min(1).max(64).optional() }),
  response: z.object({ peers: z.array(peer) }),
  async handle({ peer: name }, { peers }) {
    const { registry, store } = peers;
    const asked = name === undefined ? registry.list() : [requirePinned(registry, name)];
    const names = asked.map(({ pin }) => pin.peer);
    for (let at = 0; at < names.length; at += AT_ONCE) {
      await Promise.all(names.slice(at, at + AT_ONCE).map((one) => peers.check(one)));
    }
    return {
      peers: await peersOf(
        registry.list().filter(({ pin }) => names.includes(pin.peer)),
        store,
      ),
    };
  },
});
