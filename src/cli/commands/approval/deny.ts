import type { CliCommand } from "../../cli.js";
import { type Decision, decideApproval } from "../../decide-approval.js";

export const command: CliCommand<Decision> = decideApproval(
  "deny",
  "The task goes on at once, and is told that it was refused.",
);
