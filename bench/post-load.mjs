// Sends messages over keep-alive connections, as fast as they are answered, and prints one line of JSON. A process of
// its own on bare sockets, so that what it costs weighs as little as possible on what it measures.
//   node post-load.mjs '{ "port", "path", "connections", "seconds", "headers", "method", "text", "expect" }'
// `expect` names what a good answer contains, and how often at least.
import { connect } from "node:net";

const {
  port,
  path,
  connections,
  seconds,
  headers = {},
  method = "SendMessage",
  text = "hello from the load",
  expect = { [text]: 1 },
} = JSON.parse(process.argv[2]);
const run = `${process.pid}-${Date.now()}`;
const head = [
  `POST ${path} HTTP/1.1`,
  "host: 127.0.0.1",
  "content-type: application/json",
  "accept: application/json, text/event-stream",
  "a2a-version: 1.0",
  ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  "content-length: ",
].join("\r\n");

let sent = 0;
let answered = 0;
let failed = 0;
let updates = 0;
let bytes = 0;
const latencies = [];
const end = performance.now() + seconds * 1000;

function nextRequest() {
  sent += 1;
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: sent,
    method,
    params: { message: { messageId: `${run}-${sent}`, role: "ROLE_USER", parts: [{ text }] } },
  });
  return `${head}${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** Length of the first whole answer in `received`; 0 when it is not there yet. */
function answerLength(received) {
  const split = received.indexOf("\r\n\r\n");
  if (split < 0) return 0;
  const length = /content-length: *(\d+)/i.exec(received.slice(0, split));
  if (length === null) {
    // A stream is chunked; only its end is looked for, and nothing else is sent meanwhile.
    return received.endsWith("\r\n0\r\n\r\n") ? received.length : 0;
  }
  const whole = split + 4 + Number(length[1]);
  return received.length < whole ? 0 : whole;
}

const countOf = (answer, word) => answer.split(word).length - 1;

const isGood = (answer) =>
  answer.startsWith("HTTP/1.1 200") &&
  !answer.includes('"error"') &&
  Object.entries(expect).every(([word, times]) => countOf(answer, word) >= times);

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
      const length = answerLength(received);
      if (length === 0) return;
      const answer = received.slice(0, length);
      received = received.slice(length);
      latencies.push(performance.now() - startedAt);
      bytes += length;
      if (isGood(answer)) answered += 1;
      else failed += 1;
      updates += countOf(answer, '"artifactUpdate"');
      send();
    });
  });
}

const startedAt = performance.now();
await Promise.all(Array.from({ length: connections }, client));
const elapsed = (performance.now() - startedAt) / 1000;
latencies.sort((a, b) => a - b);
const at = (share) => latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))];
console.log(
  JSON.stringify({
    perSecond: answered / elapsed,
    failed,
    p50: at(0.5),
    p99: at(0.99),
    updatesEach: updates / latencies.length,
    bytesEach: bytes / latencies.length,
  }),
);
