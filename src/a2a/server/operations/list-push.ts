import { invalidArgument } from "../../../shared/errors.js";
import type { PushSubscription } from "../../../tasks/push-ledger.js";
import { findTask } from "../find-task.js";
import { checkTenant, requireExecute } from "./call-checks.js";
import type { Operation } from "./operation.js";
import { requirePush } from "./push-offered.js";

/** List Push Notification Configs (A2A 1.0, 3.1.9; 0.3, 7.7), in the order of their ids. */
export const listPush: Operation = async ({ caller, codec, params }, { ledger, pushes }) => {
  requirePush(caller);
  const { taskId, pageSize, pageToken, interfaceTenant } = codec.readListPush(params);
  checkTenant(caller, interfaceTenant);
  requireExecute(caller);
  const { tenant } = await findTask(ledger, caller, taskId, "task:push");
  const after = pageToken === undefined ? "" : idIn(pageToken);
  const rest = (await ledger.forTenant(tenant).push.list(taskId)).filter(({ id }) => isBehind(id, after));
  const page = rest.slice(0, pageSize ?? rest.length);
  const last = page.at(-1);
  const next = last !== undefined && page.length < rest.length ? tokenOf(last) : undefined;
  return {
    type: "json",
    text: codec.pushes(
      page.map((push) => pushes.show(push)),
      next,
    ),
  };
};

/** By their bytes, as the ledger has them. */
const isBehind = (id: string, after: string): boolean => Buffer.compare(Buffer.from(id), Buffer.from(after)) > 0;

const tokenOf = ({ id }: PushSubscription): string => Buffer.from(`push/${id}`).toString("base64url");

function idIn(pageToken: string): string {
  const text = Buffer.from(pageToken, "base64url").toString("utf8");
  if (!text.startsWith("push/")) throw invalidArgument("pageToken", "must be one that an earlier page has named");
  return text.slice("push/".length);
}
