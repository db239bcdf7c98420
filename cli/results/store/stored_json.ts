// A JSON column of the home's own results on its way out. Whoever damaged the file, the answer is a line. Files of others are looked at whole
// before they are read: foreign.ts.
import type { SQLOutputValue } from "node:sqlite";
import { UserError } from "../../base/errors.ts";

/** `column`: as `load.reasons`. The schema says what it holds (schemas/results.sql). */
export function storedJson(value: SQLOutputValue | undefined, column: string): unknown {
  try {
    return JSON.parse(String(value));
  } catch {
    throw new UserError(
      `results: ${column} of a row is no JSON, so the file is damaged: put back a copy of results.db`,
    );
  }
}
