import type { DispatchDetail, DispatchJson } from "../http/control/schema/dispatch.js";
import { harmlessLine } from "./harmless.js";
import type { Colors } from "./output.js";
import { receiptsText } from "./receipts-text.js";
import { fieldsText, tableText } from "./table.js";

/** What is not known is neither no nor zero. */
const NOT_OBSERVED = "not observed";

const MAX_SAID = 300;

/** What is known of work that a peer was given. */
export function dispatchText(dispatch: DispatchJson, colors: Colors): string {
  const { remoteTaskId, remoteContextId, remoteState, lastError } = dispatch;
  return [
    fieldsText(
      [
        ["child", `${dispatch.taskId} (${dispatch.taskState})`],
        ["peer", harmlessLine(dispatch.peer)],
        ["run id", dispatch.runId],
        ["revision", String(dispatch.revision)],
        ["planned task", `${dispatch.plannedTaskId}, assignment ${dispatch.assignmentId}`],
        ["pin", dispatch.pinDigest],
        ["dispatch", stateText(dispatch, colors)],
        ["remote task", remoteTaskId === null ? NOT_OBSERVED : harmlessLine(remoteTaskId)],
        ["remote context", remoteContextId === null ? null : harmlessLine(remoteContextId)],
        ["remote state", remoteState === null ? NOT_OBSERVED : `${remoteState}, ${dispatch.remoteStateAt}`],
        ["slot", dispatch.holdsSlot ? "taken" : "free"],
        ["last contact", dispatch.lastContactAt ?? NOT_OBSERVED],
        ["last error", lastError === null ? null : harmlessLine(lastError)],
        ["invocations", String(dispatch.invocations)],
        ["used by the peer", "model requests, tokens and processes are unobserved"],
      ],
      colors,
    ),
    "",
    colors.dim("five facts, none of which follows from another"),
    fieldsText(factFields(dispatch.facts), colors),
    ...sendLines(dispatch, colors),
    ...resultLines(dispatch, colors),
  ].join("\n");
}

export function dispatchDetailText(dispatch: DispatchDetail, colors: Colors): string {
  const why = dispatch.why === null ? [] : ["", harmlessLine(dispatch.why)];
  return [dispatchText(dispatch, colors), "", receiptsText(dispatch.receipts, colors), ...why].join("\n");
}

function factFields(facts: DispatchJson["facts"]): [string, string][] {
  const { remoteTerminal, localCleanup, cancelAcknowledgement: cancel, streamClosed: stream, localDeadline } = facts;
  return [
    [
      "remote terminal receipt",
      remoteTerminal === null ? NOT_OBSERVED : `${remoteTerminal.state}, ${remoteTerminal.at}`,
    ],
    ["local cleanup", localCleanup === null ? NOT_OBSERVED : localCleanup.at],
    [
      "cancel acknowledgement",
      cancel === null
        ? "not asked"
        : cancel.answeredAt === null
          ? `asked ${cancel.askedAt}, no answer observed`
          : `${said(cancel.answer ?? "")}, ${cancel.answeredAt}`,
    ],
    [
      "stream closed",
      stream === null
        ? "no stream"
        : stream.closedAt === null
          ? `open since ${stream.openedAt}`
          : `${said(stream.end ?? "")}, ${stream.closedAt}`,
    ],
    [
      "local deadline",
      localDeadline === null
        ? "none"
        : localDeadline.passedAt === null
          ? localDeadline.at
          : `${localDeadline.at}, passed ${localDeadline.passedAt}`,
    ],
  ];
}

function sendLines({ sends }: DispatchJson, colors: Colors): string[] {
  const lines: string[] = [];
  for (const { turn, messageId, bodyDigest, state, error, intendedAt, disclosed } of sends) {
    lines.push("", colors.dim(`message ${turn}`));
    const why = error === null ? "" : `: ${said(error)}`;
    const fields: [string, string][] = [
      ["id", messageId],
      ["body", bodyDigest],
      ["state", `${state}${why}`],
      ["intended", intendedAt],
    ];
    lines.push(fieldsText(fields, colors));
    const files = disclosed.map(({ path, digest, bytes }) => [harmlessLine(path), digest, String(bytes)]);
    if (files.length > 0) lines.push(tableText(["DISCLOSED", "DIGEST", "BYTES"], files, colors));
  }
  return lines;
}

function resultLines({ result }: DispatchJson, colors: Colors): string[] {
  if (result === null) return [];
  const artifacts = result.artifacts.map(({ name, digest, bytes }) => [
    name === null ? "–" : harmlessLine(name),
    digest,
    String(bytes),
  ]);
  return [
    "",
    colors.dim("result: unverified analysis"),
    ...(artifacts.length === 0 ? [] : [tableText(["ARTIFACT", "DIGEST", "BYTES"], artifacts, colors)]),
    ...(result.message === null ? [] : [`said: ${said(result.message)}`]),
    ...result.leftOut.map((what) => `left out: ${harmlessLine(what)}`),
  ];
}

function stateText({ state }: DispatchJson, colors: Colors): string {
  if (state === "accepted") return colors.green(state);
  return state === "unknown" || state === "refused" ? colors.red(state) : state;
}

const said = (text: string): string => harmlessLine(text.length > MAX_SAID ? `${text.slice(0, MAX_SAID)}…` : text);
