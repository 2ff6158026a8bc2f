// What the edge costs beside the bare echo, with nothing behind it.
//   node bench/edge.mjs [--against OTHER/dist] [--rounds 5] [--seconds 3]
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { load, startEcho, startEdge } from "./processes.mjs";
import { median } from "./statistics.mjs";

const { values } = parseArgs({
  options: {
    against: { type: "string" },
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "3" },
  },
});
const servers = { echo: { ...(await startEcho()), path: "/" } };
const edges = values.against === undefined ? { edge: undefined } : { edge: undefined, other: values.against };
for (const [name, dist] of Object.entries(edges)) {
  const edge = await startEdge(dist);
  servers[name] = { ...edge, path: "/v1/agents/echo/a2a", headers: { authorization: `Bearer ${edge.key}` } };
}
/** CPU time that a process has used, µs. What the client does with the other core does not blur it as it does the rate. */
function cpuTime(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

const rounds = [];
for (let round = 0; round <= Number(values.rounds); round++) {
  const row = {};
  for (const [name, { child, port, path, headers }] of Object.entries(servers)) {
    const seconds = round === 0 ? 2 : Number(values.seconds);
    const before = cpuTime(child.pid);
    const { perSecond, failed } = await load({ port, path, headers, connections: 16, seconds });
    if (failed > 0) throw new Error(`${name}: ${failed} requests failed`);
    row[name] = { perSecond, cpu: (cpuTime(child.pid) - before) / (perSecond * seconds) };
  }
  // The first round warms up.
  if (round > 0) rounds.push(row);
}
for (const { stop } of Object.values(servers)) await stop();
for (const name of Object.keys(servers)) {
  const perSecond = median(rounds.map((row) => row[name].perSecond));
  const share = median(rounds.map((row) => row[name].perSecond / row.echo.perSecond));
  const cpu = median(rounds.map((row) => row[name].cpu));
  const above = median(rounds.map((row) => row[name].cpu - row.echo.cpu));
  console.log(
    `${name.padEnd(6)} ${Math.round(perSecond)}/s, ${share.toFixed(2)} of the echo; ` +
      `CPU ${cpu.toFixed(0)} µs a request, ${above.toFixed(0)} above the echo`,
  );
}
