// Recordings that several processes make at the same time: whoever looked before another one wrote looks again.
import { NameTakenError } from "../../base/errors.ts";

/** What `ensure` gave, which looks at what is in the archive and writes what is missing: where the name was taken in between, again. */
export async function retryOnNameTaken<T>(ensure: () => Promise<T>): Promise<T> {
  try {
    return await ensure();
  } catch (error) {
    if (!(error instanceof NameTakenError)) throw error;
    return await ensure();
  }
}
