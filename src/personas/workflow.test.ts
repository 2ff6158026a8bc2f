import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { circleIn, doneBefore, lastNodes, readyNodes } from "./workflow.js";

/** `a: b c` is a node that needs two. */
const graph = (...lines: string[]) =>
  lines.map((line) => {
    const [id = "", needs = ""] = line.split(":");
    return { id, needs: needs.split(" ").filter((need) => need !== "") };
  });
const ids = (nodes: readonly { id: string }[] | null) => nodes?.map(({ id }) => id).join(" ") ?? null;

describe("E18 the order of nodes", () => {
  const nodes = graph("post:check", "check:draft facts", "draft:facts", "facts", "other");

  it.each([
    ["", "facts other"],
    ["facts", "draft other"],
    ["other", "facts"],
    ["facts other", "draft"],
    ["facts draft other", "check"],
    ["facts draft other check post", ""],
  ])("with [%s] done, [%s] can be begun", (done, ready) => {
    expect(ids(readyNodes(nodes, new Set(done.split(" "))))).toBe(ready);
  });

  it("what no other needs is the result, in the order of the file", () => {
    expect(ids(lastNodes(nodes))).toBe("post other");
  });

  it("what is done when a node is begun is what it needs, and what that needs", () => {
    expect([...doneBefore(nodes, { id: "x", needs: ["check"] })].sort()).toEqual(["check", "draft", "facts"]);
    expect([...doneBefore(graph("a:b", "b:a"), { id: "a", needs: ["b"] })].sort()).toEqual(["a", "b"]);
  });

  it.each([
    [graph("a", "b:a"), null],
    [graph("a:a"), "a"],
    [graph("z:a", "a:b", "b:c", "c:a", "y"), "a b c"],
  ])("a circle in %j is %s", (given, circle) => {
    expect(ids(circleIn(given))).toBe(circle);
  });

  it("a graph has a circle, or all of it comes to its end", () => {
    const graphs = fc.array(fc.array(fc.nat(7), { maxLength: 3 }), { minLength: 1, maxLength: 8 }).map((needs) =>
      needs.map((places, at) => ({
        id: `n${at}`,
        needs: places.filter((place) => place < needs.length).map((place) => `n${place}`),
      })),
    );
    fc.assert(
      fc.property(graphs, (given) => {
        const done = new Set<string>();
        for (let ready = readyNodes(given, done); ready.length > 0; ready = readyNodes(given, done)) {
          for (const { id } of ready) done.add(id);
        }
        const circle = circleIn(given);
        expect(circle === null).toBe(done.size === given.length);
        circle?.forEach(({ needs }, at) => {
          expect(needs).toContain(circle[(at + 1) % circle.length]?.id);
        });
      }),
    );
  });
});
