// A command's text to its words: a shell reads it only if it has to.
import assert from "node:assert/strict";
import { test } from "node:test";
import { wordsOf } from "../../../../cli/instruments/command/plan/options.ts";

test("plain words and quotes need no shell", () => {
  assert.deepEqual(wordsOf("curl -o /dev/null https://shop.example/"), [
    "curl",
    "-o",
    "/dev/null",
    "https://shop.example/",
  ]);
  assert.deepEqual(wordsOf("  a   'b  c' \"d e\"f --x=y '' "), ["a", "b  c", "d ef", "--x=y", ""]);
  assert.deepEqual(wordsOf("a 'b$c|d'"), ["a", "b$c|d"]);
});

test("what a shell has to read is given to one, whole", () => {
  for (const text of [
    "a | b",
    "a > b",
    "echo $HOME",
    "A=1 b",
    "ls *.ts",
    "a; b",
    "a 'b",
    'a "$b"',
    "a \\ b",
    "(a)",
    "a &",
    "~/a",
  ])
    assert.deepEqual(wordsOf(text), ["/bin/sh", "-c", text]);
});

test("no command is no words", () => {
  assert.deepEqual([wordsOf(""), wordsOf("  ")], [[], []]);
});
