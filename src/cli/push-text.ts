import type { PushJson } from "../http/control/schema/push.js";
import { harmlessLine } from "./harmless.js";
import type { Colors } from "./output.js";
import { relativeTime } from "./relative-time.js";
import { tableText } from "./table.js";

export function pushTable(pushes: readonly PushJson[], colors: Colors): string {
  const now = Date.now();
  const rows = pushes.map((push) => [
    push.taskId,
    harmlessLine(push.id),
    harmlessLine(push.url).slice(0, 60),
    push.state,
    String(push.attempts),
    push.nextAt === null ? "–" : relativeTime(push.nextAt, now),
    harmlessLine(push.lastError ?? "–").slice(0, 60),
  ]);
  return tableText(["TASK", "ID", "URL", "STATE", "FAILURES", "NEXT", "LAST ERROR"], rows, colors);
}
