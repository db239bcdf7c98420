// What a refusal is: an error of the user's, in one line. Of made-up input, some is read and some refused, and nothing else happens.
import assert from "node:assert/strict";
import { UserError } from "../../cli/base/errors.ts";

/** `head`: how the line begins, which `words` do not see. */
export const refusedIn =
  (words: RegExp, head = "") =>
  (error: unknown): true => {
    assert.ok(error instanceof UserError, error instanceof Error ? error.stack : String(error));
    assert.ok(error.message.startsWith(head), error.message);
    assert.match(error.message.slice(head.length), words);
    assert.doesNotMatch(error.message, /\n/);
    return true;
  };

/** How many of the seeds' inputs were read, and how many refused. */
export async function readOrRefused(seeds: number, read: (seed: number) => unknown) {
  const counts = { taken: 0, refused: 0 };
  for (let seed = 0; seed < seeds; seed++)
    try {
      await read(seed);
      counts.taken++;
    } catch (error) {
      assert.ok(error instanceof UserError, `seed ${seed}: ${error instanceof Error ? error.stack : error}`);
      assert.doesNotMatch(error.message, /\n/, `seed ${seed}`);
      counts.refused++;
    }
  return counts;
}
