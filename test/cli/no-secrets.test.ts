import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Cli } from "../../src/cli/cli.js";
import { COMMANDS } from "../../src/cli/commands.js";
import { explain } from "../../src/cli/error-boundary.js";
import { createOutput } from "../../src/cli/output.js";
import { runProgram } from "../../src/cli/program.js";
import { connect } from "../../src/client/control-client.js";
import { atTheEnd } from "../support/at-the-end.js";
import { sendMessage } from "../support/daemon/a2a.js";
import { isStatus, untilLine, untilSettled } from "../support/daemon/watch.js";
import { startPeerDaemon, workspaceOf } from "../support/peers/peer-daemon.js";
import { operatorFolder } from "../support/peers/pinned-peer.js";
import { commandLines } from "../support/secrets/command-lines.js";
import { canary, plant, plantAllIn, plantedIn, plantKeysIn, secretsIn } from "../support/secrets/planted.js";

/** Its token endpoint and its webhooks refuse, and say back what they were shown. */
async function startEcho(): Promise<{ url: string; heard(): string }> {
  let heard = "";
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      heard += JSON.stringify([request.url, request.headers, Buffer.concat(parts).toString()]);
      response.writeHead(401, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: request.headers, body: Buffer.concat(parts).toString(), url: request.url }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atTheEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard: () => heard };
}

/** What commands make of secrets is their result: these say one, once, and `--json` is how it is got. */
const SAYS_ONE = ["key create", "token session", "token agent"];
/** A daemon and its first configuration have tests of their own. */
const NOT_HERE = ["up", "init"];

it("R7 no secret is in any answer of the command line, in the log, in a receipt, or on a command line that others can read", async () => {
  const { url: echo, heard } = await startEcho();
  const secrets = {
    provider: canary("the key of a provider"),
    openai: canary("the key of another provider, from the environment"),
    program: canary("what only a program is given"),
    client: canary("the secret of an OAuth client"),
    apiKey: canary("the API key for an agent outside"),
    webhook: canary("the URL of a channel"),
    pushToken: canary("the token of a push configuration"),
    pushCredentials: canary("the credentials of a push configuration"),
  };
  const [host] = [echo.replace("http://", "")];
  const scripted = (name: string, steps: object[], rest: object = {}) => ({
    ...{ name, runtime: "scripted", script: [{ steps }] },
    ...rest,
  });
  const policy = { mode: "enforce", tools: ["a2a_call"], a2aTargets: [`${echo}/*`], egressHosts: [host] };
  const files = {
    "oauth.json": {
      schema: 1,
      type: "oauth2ClientCredentials",
      tokenUrl: `${echo}/token`,
      clientId: "we",
      clientSecret: secrets.client,
    },
    "api-key.json": { schema: 1, type: "apiKey", header: "x-api-key", value: secrets.apiKey },
  };
  const own = operatorFolder();
  atTheEnd(() => own.remove());
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(own.path, name), JSON.stringify(content), { mode: 0o600 });
  }
  const credentials = [
    { target: `${echo}/oauth/*`, file: join(own.path, "oauth.json") },
    { target: `${echo}/keyed/*`, file: join(own.path, "api-key.json") },
  ];
  const house = await startPeerDaemon(
    {
      mode: "development",
      access: { anonymous: true, trustDomain: "example.com" },
      outbound: { allow: [host] },
      queue: { backoffBaseMs: 1, backoffMaxMs: 2 },
      a2a: { maxAttempts: 1, credentials },
      providers: {
        anthropic: { type: "anthropic", baseURL: echo, apiKey: secrets.provider },
        other: { type: "openai-compatible", baseURL: `${echo}/v1`, apiKey: "${OPENAI_KEY}" },
        program: { type: "command", command: process.execPath, args: ["-e", "setTimeout(() => {}, 60_000)"] },
      },
      channels: [{ name: "hook", type: "webhook", url: `${echo}/${secrets.webhook}` }],
      personas: [
        scripted("echo", [{ reply: "{{input.text}}" }], { visibility: "public" }),
        scripted(
          "caller",
          [
            { call: { url: `${echo}/oauth/agent`, message: "hello", as: "called" } },
            { call: { url: `${echo}/keyed/agent`, message: "hello", as: "keyed" } },
            { reply: "{{results.called}}" },
          ],
          { policy },
        ),
        scripted(
          "poster",
          [
            { tool: { name: "channel_send", with: { channel: "hook", text: "hello" }, as: "posted" } },
            { fail: "{{results.posted.error}}" },
          ],
          {
            capabilities: { allow: ["channel.send:hook"] },
          },
        ),
        scripted("asker", [{ approve: "may I?" }, { reply: "done" }]),
        scripted("curious", [{ ask: "what?" }, { reply: "done" }]),
        { name: "thinker", model: "m", provider: "anthropic" },
        { name: "doubter", model: "m", provider: "other" },
        { name: "worker", provider: "program" },
      ],
    },
    { env: { OPENAI_KEY: secrets.openai, SERVICE_TOKEN: secrets.program } },
  );
  const { daemon, folder } = house;
  const { client } = daemon;

  // Things happen, most of which go wrong where a secret is at hand.
  const ids: Record<string, string> = {};
  for (const persona of ["echo", "caller", "poster", "thinker", "doubter", "curious"]) {
    ids[persona] = (await client.send({ persona, text: "go on" })).id;
    await untilSettled(client, ids[persona] as string);
  }
  const hook = {
    url: `${echo}/hook`,
    token: secrets.pushToken,
    authentication: { scheme: "Bearer", credentials: secrets.pushCredentials },
  };
  const pushed = await sendMessage(daemon.url, "echo", { text: "tell me", push: hook });
  ids.asker = (await client.send({ persona: "asker", text: "x" })).id;
  await untilLine(client, ids.asker, isStatus("waiting"));
  ids.worker = (await client.send({ persona: "worker", text: "x" })).id;
  await untilLine(client, ids.worker, isStatus("processing"));

  const peer = await house.peer("hermes", "hermes-peer", {
    files: ["a.txt"],
    supports: { cancel: true, streaming: false },
  });
  const workspace = workspaceOf(folder, { "a.txt": "hello" });
  const given = await house.give({ to: { peer: "hermes" }, workspace });
  peer.order({ manner: "ask" });
  const childId = await given.run();
  await untilSettled(client, childId);
  const offered = await house.give({ to: { persona: "echo" } });
  const partner = await house.grant({ assignment: offered.assignmentId, peer: "partner" });
  const [grant] = (await client.grants()).grants;
  const { runId, revision } = await client.dispatch(childId);
  const [approval] = (await client.approvals()).approvals;
  const key = await client.createKey({ name: "ci" });
  plant(key.key, "an API key");
  const session = await client.createSession({ name: "ann" });
  plant(session.token, "a session token");

  writeFileSync(join(folder, "answer.txt"), "main");
  writeFileSync(
    join(folder, "plan.json"),
    JSON.stringify({
      schema: 1,
      title: "t",
      steps: [{ id: "s", instruction: "i" }],
      checks: [{ name: "c", command: "true" }],
      limits: { invocations: 1, token_units: null },
    }),
  );
  const at = (name: string) => join(folder, name);
  const where = `--peer hermes --endpoint ${peer.endpoint} --card-url ${peer.cardUrl} --credential-file ${at("hermes.json")} --addresses 127.0.0.1 --local`;
  writeFileSync(at("card.json"), JSON.stringify(await (await fetch(peer.cardUrl)).json()));
  const planned = await client.plannedTask(given.planId);

  const said: { line: string; text: string }[] = [];
  const cli = async (line: string) => {
    let text = "";
    const write = (piece: string) => {
      text += piece;
      return true;
    };
    const stream = { isTTY: false, write } as never;
    const out = createOutput(true, undefined, stream, stream);
    const env = { PATH: process.env.PATH, NUNCIO_A2A_TOKEN: key.key };
    const context: Cli = {
      ...{ out, env, configFile: daemon.configFile },
      interruption: () => new AbortController().signal,
      client: async () => connect(daemon.controlSocket),
    };
    try {
      await runProgram([...line.split(" "), "--json"], () => context);
    } catch (error) {
      explain(error, out, env);
    }
    expect(text, line).not.toBe("");
    said.push({ line, text });
  };

  for (const line of [
    "status",
    "reload",
    "send echo hello --wait",
    "persona list",
    "persona show thinker",
    "persona show poster",
    "task list",
    ...Object.values(ids).map((id) => `task show ${id}`),
    `task show ${childId}`,
    `task watch ${ids.thinker}`,
    `task tree ${ids.caller}`,
    `task answer ${ids.curious} yes`,
    `task show ${pushed.id}`,
    "approval list",
    `approval show ${approval?.id}`,
    `approval approve ${approval?.id}`,
    `approval deny ${approval?.id}`,
    `task create --plan ${at("plan.json")} --workspace ${workspace}`,
    `team list`,
    `team list ${given.planId}`,
    `team assign ${given.planId} --step s --profile nuncio/reviewer --runtime hermes --invocations 1 --revision ${planned.revision}`,
    `team run ${given.planId} --assignment ${given.assignmentId} --generation 0 --revision ${planned.revision}`,
    `task complete ${given.planId} --revision ${planned.revision}`,
    "dlq list",
    ...["poster", "thinker"].map((name) => `dlq show ${ids[name]}`),
    `dlq retry ${ids.poster}`,
    `dlq purge ${ids.thinker}`,
    `a2a card ${peer.cardUrl}`,
    "a2a card echo",
    "a2a send echo hello --wait",
    `a2a credential more --file ${at("more.json")} --handover ${at("handover.json")}`,
    `a2a credential taken --file ${at("taken.json")} --from ${at("handover.json")}`,
    `a2a credential more --file ${at("more.json")}`,
    `a2a discover ${where}`,
    `a2a pin ${where} --card-file ${at("card.json")} --skill review`,
    `a2a pin ${where} --card-file ${join(own.path, "oauth.json")} --skill review`,
    "a2a peers",
    "a2a peers hermes",
    `a2a inspect ${childId}`,
    `a2a reconcile ${childId} --run-id ${runId}`,
    `a2a answer ${childId} --message ${at("answer.txt")} --revision ${revision}`,
    `a2a grant --assignment ${offered.assignmentId} --peer other --credential-file ${at("taken.json")} --tenant t --skill s`,
    `a2a grant --assignment ${offered.assignmentId} --peer partner --credential-file ${partner.file} --tenant t --skill s`,
    "a2a grants",
    `a2a grants ${grant?.id}`,
    `a2a revoke ${grant?.id}`,
    "key create another",
    "key list",
    `key revoke ${key.id}`,
    "token session bob",
    "token list",
    `token revoke ${session.id}`,
    "token agent echo --audience spiffe://example.com/agents/desk",
    "token keys",
    "token rotate echo",
    "tenant create acme",
    "tenant list",
    "cards key",
    "push list",
    `push retry ${pushed.id}`,
    `push disable ${pushed.id}`,
    "sealing rotate",
    `db backup ${at("backup.db")}`,
    `db check ${at("backup.db")}`,
    `db restore ${at("backup.db")}`,
    "db copy",
    `task cancel ${ids.worker}`,
    `task purge ${ids.echo}`,
    `team purge ${given.planId}`,
  ]) {
    await cli(line);
  }

  // The keys that the daemon made for itself, and the tokens that were made on the way, are known by now.
  plantKeysIn(daemon.dataDir);
  for (const name of ["more.json", "handover.json"]) plantAllIn(JSON.parse(readFileSync(at(name), "utf8")));
  for (const { line, text } of said) {
    const mayMake = SAYS_ONE.some((command) => line.startsWith(command));
    expect(mayMake ? plantedIn(text) : secretsIn(text), line).toEqual([]);
  }
  const done = new Set(said.flatMap(({ line }) => [line.split(" ")[0], line.split(" ").slice(0, 2).join(" ")]));
  expect(Object.keys(COMMANDS).filter((command) => !done.has(command) && !NOT_HERE.includes(command))).toEqual([]);

  // Each was at hand where something went wrong: whoever it is meant for has heard it.
  const { program: _, client: basic, ...used } = secrets;
  for (const secret of Object.values(used)) expect(heard()).toContain(secret);
  expect(heard()).toContain(Buffer.from(`we:${basic}`).toString("base64"));

  const shown = commandLines(daemon.pid).join("\n");
  expect(shown).toContain("nuncio up");
  expect(secretsIn(shown)).toEqual([]);
});
