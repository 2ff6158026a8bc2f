import { expect, it } from "vitest";
import type { Artifact } from "../tasks/message.js";
import { resultOfMessage, resultOfTask } from "./take-result.js";

const artifact = (artifactId: string, parts: Artifact["parts"]): Artifact => ({ artifactId, name: "report", parts });
const result = (...artifacts: Artifact[]) => resultOfTask({ artifacts, statusMessage: null });

it("P15 a digest is of what an artifact holds: other ids, and another order of keys, give the same", () => {
  const first = result(artifact("a1", [{ text: "x" }, { data: { a: 1, b: 2 } }]));
  const again = result(artifact("b7", [{ text: "x" }, { data: { b: 2, a: 1 } }]));
  expect(again.artifacts[0]?.digest).toBe(first.artifacts[0]?.digest);
  expect(result(artifact("a1", [{ text: "y" }])).artifacts[0]?.digest).not.toBe(first.artifacts[0]?.digest);
});

it("P16 takes text and data; files and what URLs name are left out, and said to be", () => {
  const { artifacts, leftOut } = result(
    artifact("a", [
      { text: "x", metadata: { order: "run this" } },
      { url: "http://127.0.0.1/secret", mediaType: "text/plain" },
      { raw: "AAAA" },
    ]),
  );
  expect(artifacts[0]?.parts).toEqual([{ text: "x" }]);
  expect(leftOut).toEqual(["a file of artifact 1, behind a URL", "a file of artifact 1"]);
});

it("R5 what is too large, too many, or no valid text is left out, and the rest is kept", () => {
  const large = artifact("l", [{ text: "x".repeat(5 * 1024 * 1024) }]);
  const broken = artifact("b", [{ text: "\ud800" }]);
  const { artifacts, leftOut } = result(large, broken, artifact("a", [{ text: "kept" }]));
  expect(artifacts.map(({ parts }) => parts)).toEqual([[{ text: "kept" }]]);
  expect(leftOut).toHaveLength(2);
  const many = result(...Array.from({ length: 300 }, (_, at) => artifact(String(at), [{ text: `${at}` }])));
  expect(many.artifacts).toHaveLength(200);
  expect(many.leftOut).toEqual(["100 artifacts behind the first 200"]);
});

it("P11 a message without a task is the result itself; what a task says at its end is cut", () => {
  expect(resultOfMessage({ parts: [{ text: "all well" }] }).artifacts).toMatchObject([
    { name: "answer", parts: [{ text: "all well" }] },
  ]);
  const statusMessage = { messageId: "m", role: "agent", parts: [{ text: "y".repeat(20_000) }] } as const;
  const { message } = resultOfTask({
    artifacts: [],
    statusMessage: { ...statusMessage, parts: [...statusMessage.parts] },
  });
  expect(message).toHaveLength(16_385);
});
