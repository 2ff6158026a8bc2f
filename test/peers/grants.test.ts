import { type Task, TaskState } from "@a2a-js/sdk";
import { ClientFactory, ClientFactoryOptions, JsonRpcTransportFactory } from "@a2a-js/sdk/client";
import { beforeAll, describe, expect, it } from "vitest";
import { type PeerDaemon, startPeerDaemon } from "../support/peers/peer-daemon.js";
import { runCli } from "../support/run-cli.js";

const CONFIG = {
  personas: [
    { name: "analyst", runtime: "scripted", script: [{ steps: [{ status: "looking" }, { reply: "nothing found" }] }] },
  ],
};

describe("a peer that a grant lets in", () => {
  let house: PeerDaemon;
  beforeAll(async () => {
    house = await startPeerDaemon(CONFIG);
  });

  const admitted = async (peer: string) => {
    const { assignmentId } = await house.give({ to: { persona: "analyst" } });
    const { token } = await house.grant({ assignment: assignmentId, peer });
    return { token, assignmentId };
  };

  /** The official client, found its way by the card. */
  async function clientOf(token: string) {
    const authorized: typeof fetch = (input, init) =>
      fetch(input, {
        ...init,
        headers: { ...(init?.headers as Record<string, string>), authorization: `Bearer ${token}` },
      });
    const url = await house.admission();
    const card = await (await authorized(`${url}/.well-known/agent-card.json`)).json();
    const options = ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory({ fetchImpl: authorized })],
    });
    return { client: await new ClientFactory(options).createFromAgentCard(card as never), card };
  }

  const request = (text: string, messageId: string) =>
    ({ message: { messageId, role: 1, parts: [{ content: { $case: "text", value: text } }] }, metadata: {} }) as never;

  it("P17 P18 is served by the official client as it is: card, send, get, over a restart in between", async () => {
    const { token } = await admitted("partner");
    const { client } = await clientOf(token);
    const sent = (await client.sendMessage(request("look", "m-1"))) as Task;
    expect(sent.status?.state).toBe(TaskState.TASK_STATE_COMPLETED);
    await house.daemon.kill("SIGKILL");
    await house.daemon.restart();
    const again = (await clientOf(token)).client;
    const got = await again.getTask({ id: sent.id } as never);
    expect([got.id, got.status?.state]).toEqual([sent.id, TaskState.TASK_STATE_COMPLETED]);
    const repeated = (await again.sendMessage(request("look", "m-1"))) as Task;
    expect(repeated.id).toBe(sent.id);
    await expect(again.sendMessage(request("look", "m-2"))).rejects.toThrow(/grant/i);

    const config = ["--config", house.daemon.configFile, "--json"];
    const listed = (await runCli(["a2a", "grants", ...config])).json();
    expect(listed.grants[0]).toMatchObject({ peer: "partner", state: "spent", taskId: sent.id, messageId: "m-1" });
    const shown = (await runCli(["a2a", "grants", listed.grants[0].id, ...config])).json();
    expect(shown.receipts).toMatchObject([{ number: 1, kind: "admitted", facts: { peer: "partner" } }]);
    const status = await house.daemon.client.status();
    expect(status.listeners.admission).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(status.admission).toMatchObject({ grants: 1, admitted: 0, refused: { GRANT_SPENT: 1 } });
    await runCli(["a2a", "revoke", listed.grants[0].id, ...config]);
    const url = await house.admission();
    const refused = await fetch(`${url}/a2a`, { method: "POST", headers: { authorization: `Bearer ${token}` } });
    expect(refused.status).toBe(401);
  });
});
