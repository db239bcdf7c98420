// A reporter for node --test: the path of each test file with a failure, a line each. For running them once more.
import type { TestEvent } from "node:test/reporters";

export default async function* failedFiles(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const told = new Set<string>();
  for await (const event of source) {
    if (event.type !== "test:fail") continue;
    const file = event.data.file;
    if (file === undefined || told.has(file)) continue;
    told.add(file);
    yield `${file}\n`;
  }
}
