// Sends blocking SendMessage requests over keep-alive connections, as fast as they are answered, and prints one line of
// JSON. A process of its own on bare sockets, so that what it costs weighs as little as possible on what it measures.
//   node post-load.mjs '{ "port", "path", "connections", "seconds", "headers" }'
import { connect } from "node:net";

const { port, path, connections, seconds, headers = {} } = JSON.parse(process.argv[2]);
const run = `${process.pid}-${Date.now()}`;
const head = [
  `POST ${path} HTTP/1.1`,
  "host: 127.0.0.1",
  "content-type: application/json",
  "a2a-version: 1.0",
  ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  "content-length: ",
].join("\r\n");

let sent = 0;
let answered = 0;
let failed = 0;
const latencies = [];
const end = performance.now() + seconds * 1000;

function nextRequest() {
  sent += 1;
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: sent,
    method: "SendMessage",
    params: { message: { messageId: `${run}-${sent}`, role: "ROLE_USER", parts: [{ text: "hello from the load" }] } },
  });
  return `${head}${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

function client() {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    socket.setNoDelay(true);
    let received = "";
    let startedAt = 0;
    const send = () => {
      if (performance.now() >= end) {
        socket.end();
        resolve();
        return;
      }
      startedAt = performance.now();
      socket.write(nextRequest());
    };
    socket.on("connect", send);
    socket.on("error", reject);
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      const split = received.indexOf("\r\n\r\n");
      if (split < 0) return;
      const length = Number(/content-length: *(\d+)/i.exec(received.slice(0, split))?.[1]);
      if (received.length < split + 4 + length) return;
      const good =
        received.startsWith("HTTP/1.1 200") &&
        received.includes("hello from the load") &&
        !received.includes('"error"');
      received = received.slice(split + 4 + length);
      latencies.push(performance.now() - startedAt);
      if (good) answered += 1;
      else failed += 1;
      send();
    });
  });
}

const startedAt = performance.now();
await Promise.all(Array.from({ length: connections }, client));
const elapsed = (performance.now() - startedAt) / 1000;
latencies.sort((a, b) => a - b);
const at = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))];
console.log(JSON.stringify({ perSecond: answered / elapsed, failed, p50: at(0.5), p99: at(0.99) }));
