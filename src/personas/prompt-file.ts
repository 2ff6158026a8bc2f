import { readTextFile } from "../shared/text-file.js";

const MAX_BYTES = 256 * 1024;
const MAX_DESCRIPTION = 1024;

export type PromptFile = { text: string; description: string } | { problem: string };

/** The system prompt of a persona; what is wrong comes back as a phrase that follows the name of the file. */
export async function readPromptFile(file: string): Promise<PromptFile> {
  const read = await readTextFile(file, MAX_BYTES);
  return "problem" in read ? read : { text: read.text, description: descriptionOf(read.text) };
}

/** The first line that says something, without the `# ` of a heading. */
export function descriptionOf(prompt: string): string {
  const line = prompt.split(/\r?\n/).find((candidate) => candidate.trim() !== "") ?? "";
  return line
    .trim()
    .replace(/^#{1,6}\s+/, "")
    .slice(0, MAX_DESCRIPTION);
}
