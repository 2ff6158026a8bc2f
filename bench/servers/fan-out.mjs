// The yardstick of a broadcast: the same words to every socket, every 700 ms, and nothing in between.
import { createServer } from "node:net";

const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
const sockets = new Set();

const chunk = (text) => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

const server = createServer((socket) => {
  socket.setNoDelay(true);
  socket.on("error", () => {});
  socket.on("close", () => sockets.delete(socket));
  socket.once("data", () => {
    socket.resume();
    socket.write(HEAD + chunk("data: {}\n\n"));
    sockets.add(socket);
  });
});

/** As long as what an agent sends. */
const frame = (tick) => {
  const status = {
    state: "TASK_STATE_WORKING",
    timestamp: new Date().toISOString(),
    message: {
      messageId: "01900000-0000-7000-8000-000000000000",
      role: "ROLE_AGENT",
      parts: [{ text: `tick ${tick}` }],
    },
  };
  const ids = { taskId: "01900000-0000-7000-8000-000000000001", contextId: "01900000-0000-7000-8000-000000000002" };
  return `id: ${tick}\ndata: ${JSON.stringify({ jsonrpc: "2.0", id: 1, result: { statusUpdate: { ...ids, status } } })}\n\n`;
};

let tick = 0;
setInterval(() => {
  const text = chunk(frame(tick++));
  for (const socket of sockets) socket.write(text);
}, 700);
server.listen({ port: 0, host: "127.0.0.1", backlog: 2048 }, () => console.log(`listening ${server.address().port}`));
