import { expect, it } from "vitest";
import { startDaemon } from "../support/daemon/start-daemon.js";
import { runCli } from "../support/run-cli.js";

const personas = [
  { name: "desk", runtime: "scripted", visibility: "public" },
  { name: "lab", tenant: "acme", runtime: "scripted" },
];

it("E5 E6 E24 makes and lists tenants, sessions and tokens of agents, and shows each secret once", async () => {
  const daemon = await startDaemon({ personas, access: { trustDomain: "example.com" } });
  const cli = (line: string) => runCli([...line.split(" "), "--config", daemon.configFile]);
  const json = async (line: string) => (await cli(`${line} --json`)).json();

  const typo = await cli("key create app --tenant acmee");
  expect(typo.stderr).toContain("there was no tenant acmee");
  expect(await json("tenant create umbrella")).toMatchObject({ name: "umbrella" });
  expect((await json("tenant list")).tenants.map(({ name }: { name: string }) => name)).toEqual([
    ...["acme", "acmee", "default", "umbrella"],
  ]);

  const session = await json("token session ada --tenant acme --scope tasks:read --expires-in 2h");
  expect(session).toMatchObject({ name: "ada", tenant: "acme", scopes: ["tasks:read"], token: expect.any(String) });
  const { tokens } = await json("token list");
  expect(tokens).toMatchObject([{ id: session.id, kind: "session", name: "ada" }]);
  expect(await json(`token revoke ${session.id}`)).toEqual({ id: session.id, revoked: true });
  expect((await cli("token list")).stdout).toMatch(/session +ada .* revoked /);

  const agent = await cli("token agent lab --tenant acme --audience desk --expires-in 10m");
  expect(agent.stdout.split(".")).toHaveLength(3);
  expect(agent.stderr).toContain("spiffe://example.com/tenants/acme/agents/lab for spiffe://example.com/agents/desk");
  const [{ kid }] = (await json("token keys")).keys;
  const rotated = await json("token rotate lab --tenant acme");
  expect(rotated.retired).toMatchObject([{ kid }]);
  expect((await cli("token rotate lab --tenant acme --at-once")).stderr).toContain(`${kid} counts no more`);
  expect((await daemon.client.agentKeys("lab", "acme")).keys).toHaveLength(1);
  expect((await cli("token agent lab --audience desk")).code).toBe(2);
});
