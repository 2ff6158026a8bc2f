import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { plantedIn, secretsIn } from "../support/secrets/planted.js";

const SCRIPT = fileURLToPath(new URL("../../examples/two-organisations/run.mjs", import.meta.url));

it("P1 P2 P3 P5 P6 P7 P8 P12 P17 P18 two daemons, each the other's peer: the example runs as it stands, and checks each step itself", async () => {
  const child = spawn(process.execPath, [SCRIPT], { env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR } });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
  }
  const [code] = await once(child, "close");
  expect(code, said).toBe(0);
  expect(said).toContain("south to north: One finding");
  expect(said).toContain("north to south: No finding");
  expect([...plantedIn(said), ...secretsIn(said)]).toEqual([]);
});
