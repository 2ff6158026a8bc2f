import { open, stat } from "node:fs/promises";

export type TextFile = { text: string } | { problem: string };

/**
 * Reads a text file that somebody else wrote: at most `maxBytes`, regular files only (a pipe would hang, a device
 * would never end), valid UTF-8. What is wrong comes back as a phrase that follows the name of the file.
 */
export async function readTextFile(file: string, maxBytes: number): Promise<TextFile> {
  try {
    const found = await stat(file);
    if (found.isDirectory()) return { problem: "is a directory" };
    if (!found.isFile()) return { problem: "is not a regular file" };
    const bytes = await readAtMost(file, maxBytes + 1);
    if (bytes.length > maxBytes) return { problem: `is larger than ${maxBytes / 1024} KiB` };
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch (error) {
    return { problem: phrases[(error as NodeJS.ErrnoException).code ?? ""] ?? "cannot be read" };
  }
}

const phrases: Record<string, string> = {
  ENOENT: "does not exist",
  ENOTDIR: "does not exist",
  EACCES: "may not be read by this user",
  EPERM: "may not be read by this user",
  ELOOP: "is a link to itself",
  ENAMETOOLONG: "has a name that is too long for the system",
  ERR_ENCODING_INVALID_ENCODED_DATA: "is not UTF-8 text",
};

/** The size is not believed: a file may grow while it is read. */
async function readAtMost(file: string, limit: number): Promise<Buffer> {
  const handle = await open(file, "r");
  try {
    const chunks: Buffer[] = [];
    let left = limit;
    while (left > 0) {
      const { bytesRead, buffer } = await handle.read(Buffer.alloc(Math.min(left, 65_536)));
      if (bytesRead === 0) break;
      chunks.push(buffer.subarray(0, bytesRead));
      left -= bytesRead;
    }
    return Buffer.concat(chunks);
  } finally {
    await handle.close();
  }
}
