import { describe, expect, it } from "vitest";
import { foldArtifact } from "../tasks/fold.js";
import { type Artifact, textOf } from "../tasks/message.js";
import type { Progress } from "../tasks/runner.js";
import { ResultArtifact } from "./result-artifact.js";

/** What readers have after the pieces, and how each piece was marked. */
function writing(standing: Artifact[], kept: string) {
  const artifacts = structuredClone(standing);
  const marks: string[] = [];
  const result = new ResultArtifact(
    (progress: Progress) => {
      if (progress.type !== "artifact") throw new Error("only pieces of an artifact");
      foldArtifact(artifacts, progress.artifact, progress.append);
      marks.push(`${progress.append ? "append" : "replace"}${progress.lastChunk ? " last" : ""}`);
    },
    standing,
    kept,
  );
  return { result, marks, text: () => artifacts.map(textOf).join() };
}

const standing = (text: string): Artifact[] => [{ artifactId: "result", name: "result", parts: [{ text }] }];

describe("ResultArtifact", () => {
  it("begins with a piece that appends to nothing, and ends with one that is marked", () => {
    const { result, marks, text } = writing([], "");
    result.write("one ");
    result.write("two");
    result.end();
    expect(marks).toEqual(["replace", "append", "append last"]);
    expect(text()).toBe("one two");
  });

  it("keeps what an earlier attempt has shown when that is what it continues from", () => {
    const { result, marks, text } = writing(standing("one"), "one");
    result.section();
    result.write("two");
    expect(marks).toEqual(["append"]);
    expect(text()).toBe("one\n\ntwo");
  });

  it("takes back what it does not continue from, before anything else", () => {
    const { marks, text } = writing(standing("one\n\nhalf of tw"), "one");
    expect(marks).toEqual(["replace"]);
    expect(text()).toBe("one");
  });

  it("makes no artifact of nothing", () => {
    const { result, marks } = writing([], "");
    result.section();
    result.write("");
    result.end();
    expect(marks).toEqual([]);
  });

  it("separates sections only where there is text on both sides", () => {
    const { result, text } = writing([], "");
    result.section();
    result.write("one");
    result.section();
    result.section();
    result.write("two");
    result.section();
    expect(text()).toBe("one\n\ntwo");
  });
});
