import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const SOURCE = fileURLToPath(new URL("..", import.meta.url));

/** What can open a connection to another host. */
const DOORS: Record<string, RegExp> = {
  "a request of undici": /\bfrom "undici"|\bimport\("undici"\)/,
  "a request of Node": /\bfrom "node:(?:https|dns(?:\/promises)?|tls|dgram)"/,
  "a request over plain HTTP": /import \{[^}]*\brequest\b[^}]*\} from "node:http"/,
  "a socket": /import \{[^}]*\b(?:connect|createConnection)\b[^}]*\} from "node:(?:net|http2)"/,
  "fetch of the platform": /\bglobalThis\.fetch(?! *[;)>,=]*(?: *=|\)))\b|(?<![.\w#])fetch\(/,
};

/** Where there is one besides outbound/, and whom it leads to. */
const KNOWN: Record<string, string> = {
  "client/request.ts": "the control socket",
  "http/control/listen.ts": "the control socket",
  "daemon/runners.ts": "the model providers of the configuration",
  "runtimes/model-loop/capped-fetch.ts": "the model providers of the configuration",
};

it("R4 nothing but outbound/ opens connections to hosts that somebody else has named", () => {
  const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter(
    (file) => /\.ts$/.test(file) && !/\.(?:test|contract)\.ts$/.test(file) && !file.startsWith("outbound/"),
  );
  const found = files.flatMap((file) => {
    const text = readFileSync(`${SOURCE}/${file}`, "utf8");
    return Object.entries(DOORS).flatMap(([door, sign]) => (sign.test(text) ? [`${file}: ${door}`] : []));
  });
  expect(found.filter((line) => KNOWN[line.split(":")[0] as string] === undefined)).toEqual([]);
  expect([...new Set(found.map((line) => line.split(":")[0]))].sort()).toEqual(Object.keys(KNOWN).sort());
});
