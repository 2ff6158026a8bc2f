import type { AgentAnswerJson, AgentTaskJson } from "../../../http/control/schema/a2a.js";
import { NuncioError } from "../../../shared/errors.js";
import { type AddresseeOptions, addressee } from "../../addressee.js";
import { agentAsks, agentHasFailed, agentStateText } from "../../agent-state-text.js";
import { AgentView } from "../../agent-view.js";
import type { Cli, CliCommand } from "../../cli.js";
import { EXIT, type ExitCode } from "../../exit-code.js";
import { harmlessLine } from "../../harmless.js";
import { artifactsText, partsText } from "../../part-text.js";
import { readText } from "../../read-text.js";

interface Options extends AddresseeOptions {
  wait?: boolean;
  stream?: boolean;
  context?: string;
  task?: string;
  messageId?: string;
}

export const command: CliCommand<Options> = {
  describe(command) {
    command
      .option("-w, --wait", "wait for the result and print it")
      .option("-s, --stream", "wait, and show what the agent says as it comes")
      .option("--context <id>", "continue this conversation")
      .option("--task <id>", "continue this task of the agent")
      .option("--message-id <id>", "makes it safe to repeat the command, where the agent knows the id again")
      .option("--tenant <tenant>", "tenant of an agent of this daemon (default: default)")
      .option("--token-file <file>", "bearer token for the agent at the URL (default: $NUNCIO_A2A_TOKEN)")
      .addHelpText(
        "after",
        '\nA text of "-" is read from standard input. Before one that begins with a dash, write --.\n\nExamples: nuncio a2a send front-desk "hello" --wait\n          nuncio a2a send https://agents.example.com/research "What is A2A?" --stream --token-file token.txt',
      );
  },
  async run({ args: [agentOrUrl = "", text = ""], options, cli }) {
    const client = await cli.client();
    const { wait, stream, context, task, messageId } = options;
    const to = await addressee(agentOrUrl, options, cli);
    const waits = wait === true || stream === true;
    const message = { ...to, text: await readText(text), contextId: context, taskId: task, messageId, wait: waits };
    const interrupted = cli.interruption();
    const view = stream === true && !cli.out.json ? new AgentView(cli.out) : undefined;
    let answer: AgentAnswerJson | null = null;
    let taskId: string | null = null;
    try {
      for await (const line of client.sendToAgent(message, interrupted)) {
        if (line.type === "answer") answer = line.answer;
        else {
          if (line.type !== "message") taskId = line.type === "task" ? line.task.id : line.taskId;
          view?.show(line);
        }
      }
    } catch (error) {
      if (!interrupted.aborted) throw error;
    } finally {
      view?.end();
    }
    if (interrupted.aborted) return leave(cli, to.agent, taskId);
    if (answer === null) throw new NuncioError("internal", "the daemon has not said what has come of the message");
    const { out } = cli;
    out.result(answer, () => (view === undefined ? textOf(answer, waits) : ""));
    return answer.task === null ? EXIT.done : ending(cli, agentOrUrl, to.agent !== undefined, answer.task, waits);
  },
};

/** The result, or what the task says where it made nothing; its id, when nothing was waited for. */
function textOf({ task, message }: AgentAnswerJson, waits: boolean): string {
  if (message !== null) return partsText(message);
  if (task === null) return "";
  if (!waits) return harmlessLine(task.id);
  if (agentAsks(task.status.state) || task.artifacts.length === 0) {
    return task.status.message === null || agentHasFailed(task.status.state) ? "" : partsText(task.status.message);
  }
  return artifactsText(task.artifacts);
}

function ending({ out }: Cli, agentOrUrl: string, own: boolean, task: AgentTaskJson, waits: boolean): ExitCode {
  const { state, message } = task.status;
  const id = harmlessLine(task.id);
  if (agentHasFailed(state)) {
    out.note(`${agentStateText(state)}${message === null ? "" : `: ${partsText(message)}`}`);
    if (own) out.next(`nuncio task show ${id}`, "to see what happened");
    return EXIT.failed;
  }
  if (agentAsks(state)) out.next(`nuncio a2a send ${shown(agentOrUrl)} "…" --task ${id}`, "to answer, then it goes on");
  else if (!waits && own) out.next(`nuncio task watch ${id}`, "to follow it");
  return EXIT.done;
}

function leave({ out }: Cli, agent: string | undefined, taskId: string | null): ExitCode {
  const id = taskId === null ? null : harmlessLine(taskId);
  out.note(
    id === null
      ? "left before the agent had answered: whether it has taken the message is not known"
      : `task ${id} goes on without you`,
  );
  if (agent !== undefined && id !== null) out.next(`nuncio task watch ${id}`, "to get back to it");
  return EXIT.interrupted;
}

const shown = (agentOrUrl: string): string => harmlessLine(agentOrUrl);
