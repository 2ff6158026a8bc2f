import { NuncioError } from "../../shared/errors.js";

const AGAIN_MS = 500;

/**
 * What came of a send is known here alone: while the ledger cannot be written it is kept and tried again. Twice is no
 * harm, since what is settled stays so. If we die meanwhile, nobody knows what came of it, and that is said then.
 */
export async function untilWritten<T>(write: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!NuncioError.is(error, "unavailable") || !error.retryable) throw error;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    }
  }
}
