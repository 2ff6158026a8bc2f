import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { descriptionOf, readPromptFile } from "./prompt-file.js";

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "nuncio-prompt-"));
});
afterAll(() => rm(directory, { recursive: true }));

const write = async (name: string, content: string | Buffer): Promise<string> => {
  await writeFile(join(directory, name), content);
  return join(directory, name);
};

describe("a prompt file", () => {
  it("D4 gives its text, and its first line without # as the description", async () => {
    const file = await write("a.md", "# Research assistant\n\nFind facts.\n");
    expect(await readPromptFile(file)).toEqual({
      text: "# Research assistant\n\nFind facts.\n",
      description: "Research assistant",
    });
  });

  it.each([
    ["You help.\nMore", "You help."],
    ["# One\r\nTwo", "One"],
    ["\n\n## Later heading\n", "Later heading"],
    ["#hashtag first", "#hashtag first"],
    ["", ""],
    ["\n \n", ""],
    ["x".repeat(5000), "x".repeat(1024)],
  ])("D4 describes %j", (text, description) => {
    expect(descriptionOf(text)).toBe(description);
  });

  it("is bounded, and what is no text file is told apart", async () => {
    const limit = 256 * 1024;
    expect(await readPromptFile(await write("full.md", "x".repeat(limit)))).toHaveProperty("text");
    expect(await readPromptFile(await write("over.md", "x".repeat(limit + 1)))).toEqual({
      problem: "is larger than 256 KiB",
    });
    expect(await readPromptFile(join(directory, "none.md"))).toEqual({ problem: "does not exist" });
    expect(await readPromptFile(join(directory, "full.md", "x"))).toEqual({ problem: "does not exist" });
    expect(await readPromptFile(directory)).toEqual({ problem: "is a directory" });
    expect(await readPromptFile("/dev/zero")).toEqual({ problem: "is not a regular file" });
    expect(await readPromptFile(await write("latin.md", Buffer.from([0x66, 0xfc])))).toEqual({
      problem: "is not UTF-8 text",
    });
    await symlink("loop", join(directory, "loop"));
    expect(await readPromptFile(join(directory, "loop"))).toEqual({ problem: "is a link to itself" });
  });
});
