import type { RemoteAnswer, RemoteTask, RemoteUpdate } from "../../a2a/client/remote-task.js";
import type { AgentAnswerJson, AgentTaskJson, SendLine } from "./schema/a2a.js";

const taskJson = ({ id, contextId, state, statusMessage, artifacts }: RemoteTask): AgentTaskJson => ({
  id,
  contextId,
  status: { state, message: statusMessage },
  artifacts,
});

export const answerJson = (answer: RemoteAnswer): AgentAnswerJson =>
  answer.type === "task" ? { task: taskJson(answer.task), message: null } : { task: null, message: answer.message };

export function updateJson(update: RemoteUpdate): SendLine {
  switch (update.type) {
    case "task":
      return { type: "task", task: taskJson(update.task) };
    case "message":
      return { type: "message", message: update.message };
    case "status":
      return { type: "status", taskId: update.taskId, status: { state: update.state, message: update.message } };
    case "artifact": {
      const { taskId, artifact, append, lastChunk } = update;
      return { type: "artifact", taskId, artifact, append, lastChunk };
    }
  }
}
