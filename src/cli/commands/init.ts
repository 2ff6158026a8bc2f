import { writeFile } from "node:fs/promises";
import { dirname, relative, resolve } from "node:path";
import { starterConfig } from "../../config/template.js";
import { messageOf, NuncioError } from "../../shared/errors.js";
import { makeDirectory } from "../../shared/make-directory.js";
import type { CliCommand } from "../cli.js";
import { nextStep } from "../next-step.js";

export const command: CliCommand = {
  async run({ args: [dir], cli: { configFile, out } }) {
    const file = dir === undefined ? configFile : resolve(dir, "nuncio.yaml");
    makeFolder(dirname(file));
    await writeNew(file, starterConfig);
    const shown = relative(process.cwd(), file);
    out.result({ file }, () => `wrote ${shown}`);
    const option = shown === "nuncio.yaml" ? "" : ` --config ${shown}`;
    out.note(nextStep(`nuncio up${option}`, "to start the daemon; then, in another terminal,"));
    out.note(`      \`nuncio send front-desk "hello" --wait${option}\``);
    return undefined;
  },
};

function makeFolder(path: string): void {
  try {
    makeDirectory(path);
  } catch (error) {
    throw new NuncioError("invalid_argument", `the folder ${path} cannot be made: ${messageOf(error)}`, {
      hint: "name a folder that you may create: nuncio init DIR",
    });
  }
}

/** Fails where there is a file already: what somebody wrote is not ours to replace. */
async function writeNew(file: string, text: string): Promise<void> {
  await writeFile(file, text, { flag: "wx" }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "EEXIST") throw error;
    throw new NuncioError("failed_precondition", `${file} exists already`, {
      hint: "edit it, or name another folder: nuncio init DIR",
    });
  });
}
