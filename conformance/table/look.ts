import assert from "node:assert/strict";
import type { Artifact, Message, StreamEvent, Task } from "../words.js";

/** The text of all artifacts. */
export const textOf = ({ artifacts = [] }: Task): string =>
  artifacts.flatMap(({ parts }) => parts.map(({ text }) => text ?? "")).join("");

export const statesOf = (events: readonly StreamEvent[]): string[] =>
  events.flatMap((event) =>
    event.type === "task" ? [event.task.state] : event.type === "status" ? [event.state] : [],
  );

/** The task that a stream begins with. */
export function firstTask(events: readonly StreamEvent[]): Task {
  const first = events[0];
  assert.equal(first?.type, "task", "a stream MUST begin with the Task");
  return (first as Extract<StreamEvent, { type: "task" }>).task;
}

/** What the chunks of a stream come to: those with `append` go to the artifact that is there, others replace it. */
function assembled(events: readonly StreamEvent[]): Map<string, Artifact> {
  const artifacts = new Map<string, Artifact>();
  for (const event of events) {
    if (event.type === "task") {
      for (const artifact of event.task.artifacts ?? []) artifacts.set(artifact.artifactId, artifact);
    } else if (event.type === "artifact") {
      const { artifact, append } = event;
      const there = artifacts.get(artifact.artifactId);
      if (append) assert.ok(there, "a chunk is appended to an artifact that was sent before");
      const parts = append && there !== undefined ? [...there.parts, ...artifact.parts] : artifact.parts;
      artifacts.set(artifact.artifactId, { ...artifact, parts });
    }
  }
  return artifacts;
}

export const assembledText = (events: readonly StreamEvent[]): string =>
  [...assembled(events).values()].flatMap(({ parts }) => parts.map(({ text }) => text ?? "")).join("");

export const textsOf = (messages: readonly Message[] | undefined): string[] =>
  (messages ?? []).map(({ parts }) => parts.map(({ text }) => text ?? "").join(""));
