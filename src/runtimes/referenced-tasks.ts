import type { TenantLedger } from "../tasks/ledger.js";
import { type Message, textOf } from "../tasks/message.js";
import type { TaskSnapshot } from "../tasks/task.js";
import { cutText } from "../tools/cut-text.js";
import { replyText } from "../tools/reply-text.js";
import { messageText } from "./message-text.js";

/** How many of the tasks that a message refers to are shown, and how much of each, in bytes. */
const TASKS = 10;
const ASKED_BYTES = 4 * 1024;
const ANSWERED_BYTES = 16 * 1024;

type Reader = { forTenant(tenant: string): Pick<TenantLedger, "snapshot"> };

/**
 * What came of the tasks that a message refers to (`referenceTaskIds`; A2A 1.0, 3.4.3), as text for a prompt. Only those
 * are shown that the caller itself has had this persona do: an id that it has seen elsewhere opens nothing, and looks
 * like one that does not exist.
 */
export async function referencedTasks(task: TaskSnapshot, message: Message, ledger: Reader): Promise<string> {
  const ids = [...new Set(message.referenceTaskIds ?? [])].slice(0, TASKS);
  const shown: string[] = [];
  for (const id of ids) {
    const found = await ledger.forTenant(task.tenant).snapshot(id);
    if (found !== null && found.id !== task.id && isOfSame(found, task)) shown.push(taskText(found));
  }
  return shown.join("\n\n");
}

const isOfSame = (found: TaskSnapshot, task: TaskSnapshot): boolean =>
  found.persona === task.persona && found.principal === task.principal;

function taskText(task: TaskSnapshot): string {
  const asked = task.history.find(({ role }) => role === "user");
  const lines = [`[Referenced task ${task.id}, ${task.state}]`];
  if (asked !== undefined) lines.push(`Asked: ${cutText(messageText(asked), ASKED_BYTES)}`);
  const answered = replyText(task) || textOf(task.statusMessage ?? { parts: [] });
  if (answered !== "") lines.push(`Answered: ${cutText(answered, ANSWERED_BYTES)}`);
  return lines.join("\n");
}
