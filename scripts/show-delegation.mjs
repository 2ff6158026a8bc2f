import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { Role, TaskState, taskStateToJSON } from "@a2a-js/sdk";
import { ClientFactory } from "@a2a-js/sdk/client";
import { dataDirOf } from "../dist/cli/data-dir.js";
import { connect } from "../dist/client/control-client.js";
import { controlSocketPath } from "../dist/shared/control-socket.js";
import { ROOT, StepFailed } from "./step.mjs";

const PERSONA = "orchestrator";
const REQUEST = "Write a short post about AWS Lambda pricing in eu-west-1";
const SECONDS_TO_FINISH = 60;

const print = (line = "") => process.stdout.write(`${line}\n`);

/**
 * Sends a request to the example's orchestrator as any A2A 1.0 client would, and shows what comes of it: the caller's
 * side from the A2A stream, the delegations from the control socket, which only the operator sees. Fails unless the
 * task and everything that was delegated from it is completed.
 */
export async function showDelegation({ baseUrl, configFile, logFile }) {
  const agentUrl = `${baseUrl}/v1/agents/${PERSONA}/a2a`;
  const control = connect(controlSocketPath(await dataDirOf(join(ROOT, configFile), process.env)));
  const deadline = AbortSignal.timeout(SECONDS_TO_FINISH * 1000);
  try {
    const client = await new ClientFactory().createFromUrl(`${agentUrl}/`);
    print(`\nAn A2A client sends to ${PERSONA}: "${REQUEST}"\n`);
    const seen = lines();
    const stream = client.sendMessageStream(request(), { signal: deadline });
    const { taskId, state, text, following } = await followStream(stream, control, deadline, seen);
    await following;
    if (state !== TaskState.TASK_STATE_COMPLETED) {
      throw new StepFailed(`the task ended as ${taskStateToJSON(state)}; see \`nuncio task show ${taskId}\``);
    }
    const tree = await control.tree(taskId);
    print("\nWho worked for whom:\n");
    printTree(tree);
    print(`\nThe result:\n\n${indent(text, "  ")}`);
    const unfinished = flatten(tree).filter((task) => task.state !== "completed");
    if (text === "" || tree.children.length === 0 || unfinished.length > 0) {
      throw new StepFailed("that is not what the example does: every task completes, and there is a result");
    }
    return { agentUrl, taskId };
  } catch (error) {
    if (!deadline.aborted) throw error;
    throw new StepFailed(`no result after ${SECONDS_TO_FINISH} s; the daemon's log is ${logFile}`);
  }
}

function request() {
  return {
    tenant: "",
    message: {
      messageId: randomUUID(),
      contextId: "",
      taskId: "",
      role: Role.ROLE_USER,
      parts: [{ content: { $case: "text", value: REQUEST }, metadata: undefined, filename: "", mediaType: "" }],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    },
    configuration: undefined,
    metadata: undefined,
  };
}

/** The caller's side: the task, its states, and the pieces of its result. */
async function followStream(stream, control, signal, seen) {
  const outcome = { taskId: "", state: TaskState.TASK_STATE_UNSPECIFIED, text: "", following: Promise.resolve() };
  for await (const { payload } of stream) {
    if (payload?.$case === "task") {
      outcome.taskId = payload.value.id;
      outcome.state = payload.value.status?.state;
      outcome.text = (payload.value.artifacts ?? []).map(textOf).join("");
      seen(0, PERSONA, named(outcome.state));
      outcome.following = followDelegations(control, outcome.taskId, signal, seen);
      // Awaited by the caller when the stream has ended; until then a failure must not end the process.
      outcome.following.catch(() => {});
    } else if (payload?.$case === "statusUpdate") {
      const { status } = payload.value;
      outcome.state = status?.state;
      seen(0, PERSONA, named(outcome.state), status?.message && textOf(status.message));
    } else if (payload?.$case === "artifactUpdate") {
      const { artifact, append } = payload.value;
      outcome.text = (append ? outcome.text : "") + (artifact ? textOf(artifact) : "");
    }
  }
  return outcome;
}

/** The operator's side: which tasks were delegated, and how they fare. */
async function followDelegations(control, taskId, signal, seen) {
  const depths = new Map([[taskId, { depth: 0, persona: PERSONA }]]);
  for await (const line of control.follow(taskId, { signal })) {
    if (line.type === "task") {
      const parent = depths.get(line.task.parentId);
      if (parent === undefined) continue;
      depths.set(line.task.id, { depth: parent.depth + 1, persona: line.task.persona });
    } else if (line.event.type === "status" && line.taskId !== taskId) {
      const task = depths.get(line.taskId);
      if (task === undefined) continue;
      const { state, message } = line.event;
      seen(task.depth, task.persona, state, message && textOf(message));
    }
  }
}

/** Prints what is seen as it is seen, with the time since the request. */
function lines() {
  const start = performance.now();
  let last = "";
  return (depth, persona, state, text) => {
    const what = `${`${"   ".repeat(depth)}${depth > 0 ? "└ " : ""}${persona}`.padEnd(22)}${state}${text ? `: ${text}` : ""}`;
    if (what === last) return;
    last = what;
    print(`${((performance.now() - start) / 1000).toFixed(2).padStart(7)} s  ${what}`);
  };
}

const named = (state) => taskStateToJSON(state).replace("TASK_STATE_", "").toLowerCase().replaceAll("_", " ");

/** Text of a message or an artifact, of A2A or of the control API: their parts differ in how they wrap it. */
const textOf = ({ parts }) =>
  parts.map((part) => part.text ?? (part.content?.$case === "text" ? part.content.value : "")).join("");

function printTree(task, prefix = "  ", last = true, root = true) {
  const branch = root ? "" : last ? "└─ " : "├─ ";
  print(`${prefix}${branch}${task.persona}  ${task.state}  ${task.id}`);
  const inner = root ? prefix : prefix + (last ? "   " : "│  ");
  task.children.forEach((child, at) => {
    printTree(child, inner, at === task.children.length - 1, false);
  });
}

const flatten = (task) => [task, ...task.children.flatMap(flatten)];
const indent = (text, by) => text.trimEnd().replace(/^(?=.)/gm, by);

/** What to try next, while the daemon goes on. */
export function whereToLook({ configFile, logFile }, { agentUrl, taskId }) {
  const message = `{"messageId":"hello-1","role":"ROLE_USER","parts":[{"text":"${REQUEST}"}]}`;
  return `
Look further, in another terminal:

  export NUNCIO_CONFIG=${configFile}
  bin/nuncio status
  bin/nuncio task show ${taskId}
  bin/nuncio send ${PERSONA} "Write a short post about wind power" --wait

  curl -s ${agentUrl}/.well-known/agent-card.json
  curl -s ${agentUrl} -H 'A2A-Version: 1.0' -H 'Content-Type: application/json' \\
    -d '{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":${message}}}'

The daemon's log is ${logFile}. README.md goes on with a real model.`;
}
