// A reporter for node --test: the path of each test file that did not pass, a line each, for running them once more. It is the file that
// ran, not the one in which a failed test is declared: `timedTest` declares in calm_machine.ts what others run. A file that
// was ended says nothing of itself: it began, and has no summary.
import { resolve } from "node:path";
import type { TestEvent } from "node:test/reporters";

export default async function* failedFiles(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const open = new Set<string>();
  for await (const event of source) {
    // Node gives a file a test of its own, called by its path.
    if (event.type === "test:dequeue" && event.data.file === resolve(event.data.name)) open.add(event.data.file);
    if (event.type === "test:summary" && event.data.file !== undefined && event.data.success)
      open.delete(event.data.file);
  }
  for (const file of open) yield `${file}\n`;
}
