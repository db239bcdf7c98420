// A reporter for node --test: why each skipped test was skipped, a line each; of one that was inconclusive (calm_machine.ts) its name
// and why. test/run.sh counts them at the end.
import type { TestEvent } from "node:test/reporters";

export default async function* skipped(source: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const event of source) {
    if (event.type !== "test:pass" || !event.data.skip) continue;
    const { name, skip } = event.data;
    const reason = typeof skip === "string" ? skip.replaceAll("\n", " ") : name;
    yield reason.startsWith("inconclusive: ")
      ? `inconclusive: ${name}: ${reason.slice("inconclusive: ".length)}\n`
      : `${reason}\n`;
  }
}
