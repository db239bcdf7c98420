// A reporter for node --test: the path of each test file that passed whole, a line each. One with a skipped test is not among them, as
// it would run once what it misses is installed, or the machine calm.
import type { TestEvent } from "node:test/reporters";

export default async function* passedFiles(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of source)
    if (type === "test:summary" && data.file !== undefined && data.success && data.counts.skipped === 0)
      yield `${data.file}\n`;
}
