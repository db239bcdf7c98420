// A question whose answer is yes or no, on a terminal. Knows no question.
import { createInterface } from "node:readline/promises";

/** Ctrl-C and Ctrl-D mean no, as all does that is not yes. */
export async function confirm(
  question: string,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<boolean> {
  const lines = createInterface({ input, output });
  try {
    const answer = await lines.question(`${question} [y/N] `);
    return /^y(es)?$/i.test(answer.trim());
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "AbortError") throw error;
    output.write("\n"); // as after an answer
    return false;
  } finally {
    lines.close();
  }
}
