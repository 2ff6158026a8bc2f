import { readFileSync } from "node:fs";
import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "./commands.js";

const text = readFileSync(new URL("../../docs/cli.md", import.meta.url), "utf8");

describe("docs/cli.md", () => {
  it.each(Object.entries(COMMANDS))("names `nuncio %s` and its options", async (path, { load }) => {
    expect(text).toContain(path);
    const command = new Command();
    (await load()).command.describe?.(command);
    for (const { long } of command.options) expect(text).toContain(long);
  });
});
