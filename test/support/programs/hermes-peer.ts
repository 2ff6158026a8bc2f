import { randomUUID } from "node:crypto";
import { type Manner, NamedPeer } from "../peers/named-peer.js";
import { followOrders, peerOptions, tell } from "../peers/peer-program.js";

/*
 * On the wire like the A2A plugin of Hermes 0.22.2: text and data, polling, a subscription until the end. Its artifacts have
 * another id each time they are shown.
 */

const { port, ...options } = peerOptions();
const peer = new NamedPeer(
  {
    name: "Hermes",
    publicCard: true,
    wantsVersion: true,
    cancels: true,
    streams: true,
    render: (artifact) => ({ ...artifact, artifactId: randomUUID() }),
  },
  { ...options, tell },
);
await peer.listen(port);
await followOrders<{ manner?: Manner; finish?: true }>(({ manner, finish }) => {
  if (manner !== undefined) peer.manner = manner;
  if (finish) peer.finishHeld();
});
