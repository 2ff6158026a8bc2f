import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type AddresseeOptions, addressee } from "./addressee.js";
import type { Cli } from "./cli.js";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "nuncio-token-"));
  writeFileSync(join(directory, "token"), "sesame\n");
  writeFileSync(join(directory, "words"), "open sesame\n");
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** A file of a token is named as one of those above. */
const spokenTo = (agentOrUrl: string, { tokenFile, ...options }: AddresseeOptions, env: NodeJS.ProcessEnv = {}) =>
  addressee(agentOrUrl, { ...options, ...(tokenFile !== undefined && { tokenFile: join(directory, tokenFile) }) }, {
    env,
  } as Cli);

const fromEnvironment = { NUNCIO_A2A_TOKEN: "of-the-environment" };

it.each<[string, AddresseeOptions, NodeJS.ProcessEnv, object]>([
  ["desk", { tenant: "acme" }, fromEnvironment, { agent: "desk", tenant: "acme" }],
  ["https://x/", {}, {}, { url: "https://x/" }],
  ["HTTP://x/", {}, { NUNCIO_A2A_TOKEN: "" }, { url: "HTTP://x/" }],
  ["https://x/", {}, fromEnvironment, { url: "https://x/", token: "of-the-environment" }],
  ["https://x/", { tokenFile: "token" }, fromEnvironment, { url: "https://x/", token: "sesame" }],
])("E15 %s, with %j and %j, is %j", async (agentOrUrl, options, env, expected) => {
  expect(await spokenTo(agentOrUrl, options, env)).toEqual(expected);
});

it.each<[string, AddresseeOptions, NodeJS.ProcessEnv, RegExp]>([
  ["desk", { tokenFile: "token" }, {}, /takes no token/],
  ["https://x/", { tenant: "acme" }, {}, /not for a URL/],
  ["https://x/", { tokenFile: "none" }, {}, /none does not exist/],
  ["https://x/", { tokenFile: "words" }, {}, /words must hold one token/],
  ["https://x/", {}, { NUNCIO_A2A_TOKEN: "open sesame" }, /NUNCIO_A2A_TOKEN must hold one token/],
])("E15 %s, with %j and %j, is refused, and no token is said", async (agentOrUrl, options, env, words) => {
  const refused = spokenTo(agentOrUrl, options, env);
  await expect(refused).rejects.toThrow(words);
  await expect(refused).rejects.not.toThrow(/sesame/);
});
