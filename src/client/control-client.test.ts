import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, onTestFinished } from "vitest";
import { connect } from "./control-client.js";
import { DaemonGoneError, NoDaemonError, OtherVersionError } from "./errors.js";

let directory: string;
let socketPath: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "nuncio-client-"));
  socketPath = join(directory, "control.sock");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const serve = async (listener: RequestListener) => {
  const server = createServer(listener);
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
};

it("knows that there is no daemon: no socket, no folder, or a file in its place", async () => {
  await expect(connect(socketPath).status()).rejects.toBeInstanceOf(NoDaemonError);
  await expect(connect(join(directory, "no", "control.sock")).status()).rejects.toBeInstanceOf(NoDaemonError);
  writeFileSync(socketPath, "");
  await expect(connect(socketPath).status()).rejects.toBeInstanceOf(NoDaemonError);
});

it("X11 refuses a daemon of another major version, and something that is no daemon", async () => {
  await serve((request, response) => {
    if (request.url === "/v1/status") response.setHeader("nuncio-version", "99.1.0");
    response.end("{}");
  });
  await expect(connect(socketPath).status()).rejects.toBeInstanceOf(OtherVersionError);
  await expect(connect(socketPath).keys()).rejects.toBeInstanceOf(OtherVersionError);
});

it("tells a daemon that dies before its answer from one that is not there", async () => {
  await serve((request) => request.socket.destroy());
  await expect(connect(socketPath).status()).rejects.toBeInstanceOf(DaemonGoneError);
});

it("cannot be led to another operation by an id", async () => {
  const seen: string[] = [];
  await serve((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    response.setHeader("nuncio-version", "0.0.0");
    response.end("{}");
  });
  const client = connect(socketPath);
  for (const id of ["../keys", "a/b", "", "x?tenant=y"]) await client.task(id);
  await client.purgeDeadLetters("");
  expect(seen).toEqual([
    "GET /v1/tasks/..%2Fkeys",
    "GET /v1/tasks/a%2Fb",
    "GET /v1/tasks/%20",
    "GET /v1/tasks/x%3Ftenant%3Dy",
    "DELETE /v1/dead-letters/%20",
  ]);
});
