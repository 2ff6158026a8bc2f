import { type CallOrder, callOut } from "../peers/call-out.js";
import { type Manner, NamedPeer } from "../peers/named-peer.js";
import { followOrders, peerOptions, tell } from "../peers/peer-program.js";

/*
 * On the wire like OpenClaw 2026.10.5: polling only, nothing can be canceled, and its tasks are gone when it is started
 * anew. What it calls itself is not told a version.
 */

const { port, ...options } = peerOptions();
const peer = new NamedPeer(
  {
    name: "OpenClaw",
    publicCard: false,
    wantsVersion: false,
    cancels: false,
    streams: false,
    render: (artifact) => artifact,
  },
  { ...options, tell },
);
await peer.listen(port);
await followOrders<{ manner?: Manner; finish?: true; call?: CallOrder }>(async ({ manner, finish, call }) => {
  if (manner !== undefined) peer.manner = manner;
  if (finish) peer.finishHeld();
  if (call !== undefined) await callOut(call, tell);
});
