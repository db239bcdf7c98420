// Numbers that commands print or write: values, or the reason why there is none.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { numberFault, printedNumbers, writtenNumbers } from "../../../../cli/instruments/command/metrics/numbers.ts";
import type { CommandNumber } from "../../../../schemas/generated/command_record.ts";
import { tempFolder } from "../../../temp_folder.ts";

const ready = { name: "ready", pattern: "ready in ([^ ]+) ms" };

test("of several matches the last counts, whatever form the number has", () => {
  const [found] = printedNumbers("ready in 1.5 ms\nready in 2.5e1 ms\n", [ready], false);
  assert.deepEqual(found, { name: "ready", value: 25, reason: null });
  assert.deepEqual(printedNumbers("ready in +3 ms", [ready], false)[0]?.value, 3);
});

test("no match, and NaN and the like, are missing with a reason", () => {
  const reasons = ["nothing", "ready in NaN ms", "ready in Infinity ms", "ready in 1,5 ms"].map(
    (text) => printedNumbers(text, [ready], false)[0],
  );
  assert.ok(reasons.every((each) => each?.value === null));
  assert.deepEqual(
    reasons.map((each) => each?.reason),
    [
      "ready in ([^ ]+) ms is not in what the command printed",
      '"NaN" is not a number',
      '"Infinity" is not a number',
      '"1,5" is not a number',
    ],
  );
  assert.match(printedNumbers("", [ready], true)[0]?.reason ?? "", /the beginning and the end/);
});

test("a pattern is refused before anything runs", () => {
  assert.equal(numberFault(ready), null);
  assert.match(
    numberFault({ name: "a", pattern: "ready in" }) ?? "",
    /^number a: the pattern ready in has no parentheses/,
  );
  assert.match(numberFault({ name: "a", pattern: "(" }) ?? "", /^number a: Invalid regular expression/);
});

test("a file has numbers by their names, and every other file one reason", () => {
  const folder = tempFolder("trilane-numbers-");
  const written = (text: string): CommandNumber[] => {
    writeFileSync(join(folder, "n.json"), text);
    return writtenNumbers(join(folder, "n.json"));
  };
  assert.deepEqual(written('{"a": 1, "b": "2", "c": null}'), [
    { name: "a", value: 1, reason: null },
    { name: "b", value: null, reason: String.raw`"\"2\"" is not a number` },
    { name: "c", value: null, reason: '"null" is not a number' },
  ]);
  const reason = (text: string): string | null | undefined => written(text)[0]?.reason;
  assert.equal(writtenNumbers(join(folder, "none.json"))[0]?.reason, "the command wrote no such file");
  assert.equal(reason("{"), "not JSON");
  assert.equal(reason("[1]"), "no JSON object of names and numbers");
  // Nobody writes into it: whoever waits for that waits for ever.
  execFileSync("mkfifo", [join(folder, "pipe")]);
  assert.equal(writtenNumbers(join(folder, "pipe"))[0]?.reason, "no regular file, or too large");
});
