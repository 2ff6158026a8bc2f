import type { PeerJson } from "../http/control/schema/peer.js";
import { harmlessLine } from "./harmless.js";
import type { Colors } from "./output.js";
import { relativeTime } from "./relative-time.js";
import { fieldsText, tableText } from "./table.js";

const when = (timestamp: string | null): string => (timestamp === null ? "–" : relativeTime(timestamp, Date.now()));

/** A digest that can be told from others; `--json` has all of it. */
const short = (digest: string): string => digest.slice(0, "sha256:".length + 12);

export function peerTable(peers: readonly PeerJson[], colors: Colors): string {
  const rows = peers.map((peer) => [
    peer.name,
    stateWord(peer, colors),
    harmlessLine(peer.skill),
    `${peer.slots.used}/${peer.slots.total}`,
    when(peer.lastContactAt),
    short(peer.pinDigest),
    harmlessLine(peer.endpoint).slice(0, 60),
  ]);
  return tableText(["PEER", "STATE", "SKILL", "SLOTS", "LAST CONTACT", "PIN", "ENDPOINT"], rows, colors);
}

/** Everything about a peer, and how it differs from its pin. */
export function peerText(peer: PeerJson, colors: Colors): string {
  const { supports, files, tenant } = peer;
  const controls = [...(supports.cancel ? ["cancel"] : []), ...(supports.streaming ? ["streaming"] : [])];
  const facts = fieldsText(
    [
      ["peer", peer.name],
      ["state", stateWord(peer, colors) + (peer.since === null ? "" : `, ${when(peer.since)}`)],
      ["error", peer.error === null ? null : harmlessLine(peer.error)],
      ["endpoint", harmlessLine(peer.endpoint)],
      ["card", harmlessLine(peer.cardUrl)],
      ["addresses", peer.addresses.join(", ") + (peer.local ? " (a rehearsal on this machine)" : "")],
      ["skill", harmlessLine(peer.skill)],
      ["tenant", tenant === null ? null : harmlessLine(tenant)],
      ["files", files.length === 0 ? "none" : files.map(harmlessLine).join(", ")],
      ["supports", controls.length === 0 ? "neither cancel nor streaming" : controls.join(" and ")],
      ["retention", `${peer.retention}, as the operator says`],
      ["slots", `${peer.slots.used} of ${peer.slots.total} taken`],
      ["last contact", when(peer.lastContactAt)],
      ["pinned", when(peer.pinnedAt)],
      ["pin", peer.pinDigest],
      ["card digest", peer.cardDigest],
      ["credential", peer.credentialDigest],
    ],
    colors,
  );
  return [facts, ...driftLines(peer, colors)].join("\n");
}

/** What was reviewed, and what is there now: the words of somebody else. */
export function driftLines({ drift }: Pick<PeerJson, "drift">, colors: Colors): string[] {
  if (drift === null) return [];
  const lines = drift.differences.flatMap(({ what, path, before, after }) => [
    `  ${WORDS[what]}${path === null || path === "" ? "" : ` ${harmlessLine(path)}`}`,
    `    ${colors.red("-")} ${before === null ? "(nothing)" : harmlessLine(before)}`,
    `    ${colors.green("+")} ${after === null ? "(nothing)" : harmlessLine(after)}`,
  ]);
  const more = drift.leftOut === 0 ? [] : [`  and ${drift.leftOut} more`];
  return ["", colors.dim("what differs from the pin"), ...lines, ...more];
}

const WORDS: Record<NonNullable<PeerJson["drift"]>["differences"][number]["what"], string> = {
  card: "card",
  card_keys: "keys of the card",
  addresses: "addresses",
  credential: "credential",
};

function stateWord({ state }: PeerJson, colors: Colors): string {
  if (state === "ok") return colors.green(state);
  return state === "stopped" ? colors.red(state) : colors.yellow(state);
}
