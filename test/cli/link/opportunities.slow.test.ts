// Reading Mahimahi's traces: what is taken, what is refused and where, and that ten million lines are no trouble.
// Wide: cli/link.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { opportunityLines, readOpportunities } from "../../../cli/link/opportunities.ts";
import { growth } from "../../growth.ts";
import { tempFolder } from "../../temp_folder.ts";
import { refusedIn } from "../refused.ts";

let folder: string;
before(() => {
  folder = tempFolder("trilane-trace-");
});

function fileOf(text: string | Buffer): string {
  const path = join(folder, "trace");
  writeFileSync(path, text);
  return path;
}

test("times are taken with and without a last line end, several in one millisecond", () => {
  assert.deepEqual([...readOpportunities(fileOf("0\n3\n3\n10\n"))], [0, 3, 3, 10]);
  assert.deepEqual([...readOpportunities(fileOf("1\n2"))], [1, 2]);
  assert.deepEqual([...readOpportunities(fileOf("4294967295\n"))], [4294967295]);
});

test("what is no trace is refused by file and line", () => {
  for (const [text, line, problem] of [
    ["1\n2\nabc\n4\n", 3, /"abc" is not a time/],
    ["1\n\n2\n", 2, /"" is not a time/],
    ["1\n2.5\n", 2, /"2\.5" is not a time/],
    ["1\n-2\n", 2, /"-2" is not a time/],
    ["1\n2 \n", 2, /"2 " is not a time/],
    ["1\n2\r3\n", 2, /carriage return/],
    ["1\n2\r\n3\n", 2, /"2" ends in a carriage return/],
    ["5\n7\n6\n", 3, /"6" is earlier than the line before it \(7\)/],
    ["1\n4294967296\n", 2, /beyond/],
    [`1\n${"9".repeat(100)}\n`, 2, /"9{39}…" is beyond/],
    ["0\n0\n", 2, /ends at 0 ms/],
    [Buffer.from([0x31, 0x0a, 0xff, 0x00, 0x0a]), 2, /is not a time/],
  ] as const) {
    const path = fileOf(text);
    assert.throws(() => readOpportunities(path), refusedIn(problem, `${path}:${line}: `));
  }
  assert.throws(() => readOpportunities(fileOf("")), /holds no line/);
  assert.throws(() => readOpportunities(folder), /not a regular file/);
  assert.throws(() => readOpportunities("/dev/null"), /not a regular file/);
  assert.throws(() => readOpportunities(join(folder, "nosuch")), { code: "ENOENT" });
});

test("ten million lines are read and written as they were, each with as much computing as one of a million", async () => {
  const lines = 10_000_000;
  function* times(count: number) {
    for (let line = 0; line < count; line++) yield Math.floor(line * 0.6) + 1;
  }
  const text = (count: number): string => [...opportunityLines(times(count))].join("");
  const path = fileOf(text(lines));
  const fewer = join(folder, "fewer");
  writeFileSync(fewer, text(lines / 10));
  const read = readOpportunities(path);
  assert.equal(read.length, lines);
  assert.equal(read[lines - 1], Math.floor((lines - 1) * 0.6) + 1);
  const grown = await growth(
    () => readOpportunities(fewer),
    () => readOpportunities(path),
  );
  assert.ok(grown < 40, `${grown} times as much for 10 times as many lines`);
});
