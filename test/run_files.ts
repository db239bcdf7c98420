// Runs test files as `node --test` does, but in the given order: that sorts them by name, and a long one that comes last leaves CPUs
// without work. Prints as the spec reporter; each further reporter of ours writes to the file that is named with it.
//
//   node --import ./test/bounded.ts test/run_files.ts AT-ONCE TEST-TIMEOUT-MS [REPORTER=FILE]... -- FILE...
import { createWriteStream } from "node:fs";
import { resolve } from "node:path";
import type { Readable } from "node:stream";
import { finished } from "node:stream/promises";
import { run } from "node:test";
import { spec, type TestEvent } from "node:test/reporters";

type Reporter = (source: AsyncIterable<TestEvent>) => AsyncGenerator<string>;

async function main(words: readonly string[]): Promise<void> {
  const end = words.indexOf("--");
  const [atOnce, timeout_ms, ...reporters] = words.slice(0, end);
  const files = words.slice(end + 1).map((file) => resolve(file));
  const events = run({ files, concurrency: Number(atOnce), timeout: Number(timeout_ms) });
  // Each reporter listens a few times.
  events.setMaxListeners(50);
  events.on("test:summary", ({ file, success }) => {
    if (file === undefined && !success) process.exitCode = 1;
  });
  events.on("test:fail", () => {
    process.exitCode = 1;
  });
  const written = reporters.map(async (pair) => {
    const [path = "", file = ""] = pair.split("=");
    const { default: reporter } = (await import(resolve(path))) as { default: Reporter };
    return { reporter, file };
  });
  const outputs = (await Promise.all(written)).map(({ reporter, file }) => {
    const output = createWriteStream(file);
    (events.compose(reporter) as unknown as Readable).pipe(output);
    return finished(output);
  });
  (events.compose(new spec()) as unknown as Readable).pipe(process.stdout);
  await Promise.all(outputs);
}

await main(process.argv.slice(2));
