import { A2AService } from "@a2a-js/sdk/server/grpc";
import type { ServiceError } from "@grpc/grpc-js";
import { expect, it } from "vitest";
import { methodsOf } from "../../src/a2a/server/grpc/methods.js";
import { daemonDirectory } from "../support/daemon/daemon-process.js";
import { startDaemon, startRefused, type TestDaemon } from "../support/daemon/start-daemon.js";
import { untilSettled } from "../support/daemon/watch.js";
import { endedBy, RawClient, refusalOf, sendRequest } from "../support/grpc-edge.js";

const personas = [
  { name: "echo", visibility: "public", runtime: "scripted" },
  {
    name: "hanging",
    visibility: "public",
    runtime: "scripted",
    script: [{ steps: [{ status: "on it" }, { hang: true }] }],
  },
];
const server = { port: 0, grpcPort: 0 };

async function addressOf({ client }: TestDaemon): Promise<string> {
  const { grpc } = (await client.status()).listeners;
  expect(grpc).toMatch(/^127\.0\.0\.1:\d+$/);
  return grpc as string;
}

it("E20 a daemon says where gRPC is, names it in its cards, and refuses to start where somebody else listens", async () => {
  const daemon = await startDaemon({ server, personas });
  const address = await addressOf(daemon);
  const card = await fetch(`${daemon.url}/v1/agents/echo/a2a/.well-known/agent-card.json`, {
    headers: { "a2a-version": "1.0" },
  });
  expect(((await card.json()) as { supportedInterfaces: object[] }).supportedInterfaces).toContainEqual({
    ...{ url: address, protocolBinding: "GRPC", tenant: "default/echo", protocolVersion: "1.0" },
  });
  const grpc = new RawClient(address);
  expect((await grpc.call("sendMessage", sendRequest("default/echo", "hello"))).payload.$case).toBe("task");
  grpc.close();

  const other = daemonDirectory({ server: { port: 0, grpcPort: Number(address.split(":")[1]) }, personas });
  const refused = await startRefused(other.configFile);
  other.remove();
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain(`${address} is in use`);
  expect(refused.stderr).toContain("(server.grpcPort)");
});

it("without server.grpcPort there is none", async () => {
  const daemon = await startDaemon({ personas });
  expect((await daemon.client.status()).listeners.grpc).toBeNull();
});

it("E22 a reload takes services away and changes their statuses, and a shutdown tells who follows a task", async () => {
  const daemon = await startDaemon({ server, personas, queue: { drainMs: 0 } });
  const grpc = new RawClient(await addressOf(daemon));
  const [v03] = methodsOf("0.3");
  const path = v03?.path as string;
  const asked = () => refusalOf(grpc.unary(path, Buffer.alloc(0), { "x-nuncio-agent": "echo" }));
  const version = async () =>
    (await grpc.refusal("getTask", { tenant: "echo", id: "x" }, { "a2a-version": "7.0" })).code;
  expect([(await asked()).code, await version()]).toEqual(["INVALID_ARGUMENT", "FAILED_PRECONDITION"]);
  daemon.configure({ server, personas, queue: { drainMs: 0 }, a2a: { versions: ["1.0"], compat: "1.0.0" } });
  await daemon.client.reload();
  expect([(await asked()).code, await version()]).toEqual(["UNIMPLEMENTED", "UNIMPLEMENTED"]);

  const { requestSerialize, responseDeserialize, path: streaming } = A2AService.sendStreamingMessage;
  const stream = grpc.stream(streaming, requestSerialize(sendRequest("hanging", "go on") as never));
  const first = await new Promise<Buffer>((resolve, reject) => {
    stream.once("data", resolve);
    stream.once("error", reject);
  });
  const ended = new Promise<ServiceError>((resolve) => stream.once("error", resolve));
  stream.resume();
  expect(await daemon.kill("SIGTERM")).toMatchObject({ code: 0, signal: null });
  expect(endedBy(await ended).code).toBe("UNAVAILABLE");
  grpc.close();

  await daemon.restart();
  const { payload } = responseDeserialize(first);
  const id = payload?.$case === "task" ? payload.value.id : "";
  const again = new RawClient(await addressOf(daemon));
  expect((await again.call("cancelTask", { tenant: "hanging", id, metadata: undefined })).status.state).toBe(5);
  again.close();
  await untilSettled(daemon.client, id);
});
