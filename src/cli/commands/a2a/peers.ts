import { notFound } from "../../../shared/errors.js";
import type { CliCommand } from "../../cli.js";
import { harmlessLine } from "../../harmless.js";
import { driftLines, peerTable, peerText } from "../../peer-text.js";

const HELP = `
A peer is ok until it is found to be something else: its card is read anew before each dispatch,
and with --check. One that is stopped is not what was pinned, and gets nothing until it is pinned
anew; one that is unreachable is tried again when somebody needs it. Slots are taken by dispatches
that may still be at work, also after their end is no longer known.`;

export const command: CliCommand<{ check?: boolean }> = {
  describe(command) {
    command.option("--check", "look at them now: read the cards, and compare").addHelpText("after", HELP);
  },
  async run({ args: [name], options: { check = false }, cli: { out, client } }) {
    const control = await client();
    if (check) out.status("looking at the peers …");
    const all = check ? await control.checkPeers(name) : await control.peers();
    const peers = name === undefined ? all.peers : all.peers.filter((peer) => peer.name === name);
    if (name !== undefined && peers.length === 0) throw notFound("peer", name, "nuncio a2a peers lists them");
    out.result({ peers }, () => {
      const [only] = peers;
      if (name !== undefined && only !== undefined) return peerText(only, out.colors);
      return peers.length === 0 ? "" : peerTable(peers, out.colors);
    });
    if (peers.length === 0) out.note("no peers: the registry of nuncio up --a2a-config REGISTRY.json names them");
    for (const peer of peers) {
      if (peer.error !== null && name === undefined) out.note(`${peer.name}: ${harmlessLine(peer.error)}`);
      if (peer.drift === null) continue;
      if (name === undefined)
        out.note([`${peer.name} is stopped:`, ...driftLines(peer, out.colors).slice(2)].join("\n"));
      out.next(`nuncio a2a discover --peer ${peer.name} …`, "then review, pin it anew, and reload");
    }
    return undefined;
  },
};
