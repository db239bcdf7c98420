// A reporter for node --test: why each skipped test was skipped, a line each. test/run.sh counts them at the end.
import type { TestEvent } from "node:test/reporters";

export default async function* skipped(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of source) {
    if (event.type !== "test:pass" || !event.data.skip) continue;
    yield `${typeof event.data.skip === "string" ? event.data.skip : event.data.name}\n`;
  }
}
