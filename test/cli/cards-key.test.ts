import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config/load-config.js";
import { runCli } from "../support/run-cli.js";

describe("nuncio cards key", () => {
  let directory: string;
  let file: string;
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), "nuncio-cards-key-"));
    file = join(directory, "keys", "card.pem");
  });
  afterAll(() => rmSync(directory, { recursive: true }));

  const cli = (...args: string[]) => runCli(["--json", "cards", "key", ...args], { cwd: directory });
  const config = (text: string) => writeFileSync(join(directory, "nuncio.yaml"), text);

  it("X13 R7 makes the key once, changes it on demand, and never shows it", async () => {
    config("personas: [{ name: a, runtime: scripted }]\n");
    const unnamed = await cli();
    expect(unnamed.code).toBe(2);
    expect(JSON.parse(unnamed.stdout).error).toMatchObject({ field: "cards.signingKeyFile" });

    config("cards: { signingKeyFile: keys/card.pem }\npersonas: [{ name: a, runtime: scripted }]\n");
    await expect(loadConfig(join(directory, "nuncio.yaml"), {})).rejects.toThrow(
      'cards.signingKeyFile: "keys/card.pem" does not exist; make it with nuncio cards key',
    );
    const made = JSON.parse((await cli()).stdout);
    expect(made).toEqual({ file, kid: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/), published: [] });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const again = await cli();
    expect(JSON.parse(again.stdout).error).toMatchObject({
      code: "conflict",
      hint: expect.stringContaining("--rotate"),
    });

    const before = readFileSync(file, "utf8");
    const rotated = await cli("--rotate");
    expect(JSON.parse(rotated.stdout)).toEqual({ file, kid: expect.any(String), published: [made.kid] });
    const secret = before.split("\n")[1] as string;
    expect(rotated.stdout + rotated.stderr + readFileSync(file, "utf8")).not.toContain(secret);
    expect((await loadConfig(join(directory, "nuncio.yaml"), {})).config.cards.keys?.published).toHaveLength(1);
  });

  it("R7 a file that others may read stops the start, with the command that mends it", async () => {
    chmodSync(file, 0o644);
    await expect(loadConfig(join(directory, "nuncio.yaml"), {})).rejects.toThrow(
      `nuncio.yaml:1:26: cards.signingKeyFile: ${file} has mode 0644: others may use it; chmod 600 ${file}, if nobody else has read it`,
    );
  });
});
