import { chmod, lstat, unlink } from "node:fs/promises";
import { connect, type Server } from "node:net";
import { NuncioError } from "../../shared/errors.js";

/**
 * Listens on a Unix socket that only its owner may open. A socket file that a killed daemon left behind is replaced;
 * one that somebody answers on is not.
 */
export async function listenOnSocket(server: Server, path: string): Promise<void> {
  try {
    await bind(server, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    if (await isAnswered(path)) {
      throw new NuncioError("failed_precondition", `another daemon serves this data directory: ${path} is in use`, {
        hint: "stop it first, or give this one a dataDir of its own",
      });
    }
    await removeLeftOver(path);
    await bind(server, path);
  }
  await chmod(path, 0o600);
}

/** Only what a daemon can have left behind: anything else of that name was put there by somebody, who may need it. */
async function removeLeftOver(path: string): Promise<void> {
  if ((await lstat(path)).isSocket()) return unlink(path);
  throw new NuncioError("failed_precondition", `${path} is there, and is no socket`, {
    hint: "move it away, or give the daemon a dataDir of its own",
  });
}

/** The mask makes the file private from its first moment; `listen` creates it before it returns. */
function bind(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const mask = process.umask(0o177);
    try {
      server.once("error", reject);
      server.listen(path, () => {
        server.removeListener("error", reject);
        resolve();
      });
    } finally {
      process.umask(mask);
    }
  });
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
