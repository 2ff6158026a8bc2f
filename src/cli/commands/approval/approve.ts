import type { CliCommand } from "../../cli.js";
import { type Decision, decideApproval } from "../../decide-approval.js";

export const command: CliCommand<Decision> = decideApproval(
  "approve",
  "The task goes on at once, and may do exactly what was asked for, once.",
);
