// The peer: the SDK's own server with an agent that echoes. `sdk.mjs memory`, or `sdk.mjs durable FILE`, where its store
// for SQLite runs with WAL and synchronous=FULL, as ours does.
import { execFileSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Message, Part, Task } from "@a2a-js/sdk";
import { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } from "@a2a-js/sdk/server";
import { DatabaseTaskStore } from "@a2a-js/sdk/server/database";
import { jsonRpcHandler, UserBuilder } from "@a2a-js/sdk/server/express";
import Database from "better-sqlite3";
import express from "express";
import { Kysely, SqliteDialect } from "kysely";
import { PIECE, TWENTY } from "../pieces.mjs";

const [kind, file] = process.argv.slice(2);

/** What the echo says; see `q2-streaming.mjs` for the other two. */
function updates(parts) {
  const artifact = (artifactId, given) => ({
    artifactId,
    name: artifactId,
    description: "",
    parts: given,
    metadata: undefined,
    extensions: [],
  });
  const text = parts[0]?.content?.value;
  const piece = (index) => Part.fromJSON({ text: PIECE.replace("#", String(index).padStart(2, "0")) });
  if (text === "pieces") {
    return TWENTY.map((index) => ({
      artifact: artifact("result", [piece(index)]),
      append: index > 0,
      lastChunk: index === 19,
    }));
  }
  if (text === "artifacts") {
    return TWENTY.map((index) => ({
      artifact: artifact(`note-${index}`, [piece(index)]),
      append: false,
      lastChunk: true,
    }));
  }
  return [{ artifact: artifact("result", parts), append: false, lastChunk: true }];
}

const executor = {
  async execute({ taskId, contextId, userMessage }, bus) {
    const now = () => new Date().toISOString();
    bus.publish(
      AgentEvent.task(
        Task.fromJSON({
          id: taskId,
          contextId,
          status: { state: "TASK_STATE_SUBMITTED", timestamp: now() },
          history: [Message.toJSON(userMessage)],
        }),
      ),
    );
    for (const update of updates(userMessage.parts)) {
      bus.publish(AgentEvent.artifactUpdate({ taskId, contextId, metadata: undefined, ...update }));
    }
    bus.publish(
      AgentEvent.statusUpdate({
        taskId,
        contextId,
        status: { state: 3, timestamp: now(), message: undefined },
        metadata: undefined,
      }),
    );
    bus.finished();
  },
  async cancelTask() {},
};

function openStore() {
  if (kind === "memory") return new InMemoryTaskStore();
  const cli = join(dirname(createRequire(import.meta.url).resolve("@a2a-js/sdk")), "cli", "a2a_db.js");
  execFileSync(process.execPath, [cli, "upgrade", "--url", `sqlite:${file}`], { stdio: "pipe" });
  const database = new Database(file);
  database.pragma("journal_mode = WAL");
  database.pragma("synchronous = FULL");
  return new DatabaseTaskStore(new Kysely({ dialect: new SqliteDialect({ database }) }));
}

const app = express();
const server = app.listen(0, "127.0.0.1", () => {
  const { port } = server.address();
  const card = {
    name: "echo",
    description: "echoes",
    version: "1",
    supportedInterfaces: [
      { url: `http://127.0.0.1:${port}/`, protocolBinding: "JSONRPC", protocolVersion: "1.0", tenant: "" },
    ],
    capabilities: { streaming: true, extensions: [] },
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [],
    signatures: [],
  };
  const requestHandler = new DefaultRequestHandler(card, openStore(), executor);
  app.use("/", jsonRpcHandler({ requestHandler, userBuilder: UserBuilder.noAuthentication }));
  console.log(`listening ${port}`);
});
