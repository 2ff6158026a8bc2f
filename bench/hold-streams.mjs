// Opens many streams and holds them. Reports when all of them are open, and then, for each word "tick N" in a frame, how
// long it took from the timestamp in that frame until the last stream had it. Ends when its parent lets go of it.
//   node hold-streams.mjs '{ "port", "path", "headers", "count", "bodies" }'
import { connect } from "node:net";

const { port, path, headers = {}, count, bodies = ["{}"] } = JSON.parse(process.argv[2]);
/** Handshakes under way: more would overflow the listener's backlog. */
const AT_ONCE = 100;
const ticks = new Map();

const requestOf = (body) =>
  [
    `POST ${path} HTTP/1.1`,
    "host: 127.0.0.1",
    "content-type: application/json",
    "accept: text/event-stream",
    "a2a-version: 1.0",
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    "",
    body,
  ].join("\r\n");

function seen(text) {
  const tick = /"tick (\d+)"/.exec(text)?.[1];
  if (tick === undefined) return;
  let known = ticks.get(tick);
  if (known === undefined) {
    known = { streams: 0, at: Date.parse(/"timestamp":"([^"]+)"/.exec(text)[1]) };
    ticks.set(tick, known);
  }
  known.streams += 1;
  if (known.streams === count) {
    process.send({ ms: performance.timeOrigin + performance.now() - known.at });
    ticks.delete(tick);
  }
}

function open(index) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(requestOf(bodies[index % bodies.length])));
    let opened = false;
    socket.on("error", reject);
    socket.on("close", () => reject(new Error("a stream was closed")));
    socket.on("data", (chunk) => {
      const text = chunk.toString("latin1");
      if (!opened) {
        if (!text.includes("data:")) return;
        if (text.includes('"error"')) reject(new Error(text));
        opened = true;
        resolve();
        return;
      }
      seen(text);
    });
  });
}

let next = 0;
const opener = async () => {
  while (next < count) await open(next++);
};
await Promise.all(Array.from({ length: AT_ONCE }, opener));
process.send({ opened: count });
process.once("disconnect", () => process.exit());
