// docs/ says what is so (its commands: test/e2e/docs.test.ts): its pictures are described, the
// reference is what the programs declare; and it is easy to read, as are README.md and help.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { declaredCommands } from "../cli/commands/all.ts";
import { referencePath, referenceText } from "../cli/commands/reference.ts";
import { difference, pages, root, textOf } from "./docs_console.ts";
import { markdownSentences, meanWords, plainSentences, type Sentence } from "./sentences.ts";

test("what is shown of a command is compared: other words, other numbers and other ends are found", () => {
  const shown = (output: string, isMeasured = false) => ({ page: "p", command: "c", output, isMeasured });
  assert.equal(difference(shown("a 1\n...\nz 2\n"), "a 1\nb\nz 2\n"), null);
  assert.equal(difference(shown("a 1\n...\nz 2\n"), "a 1\nb\nz 3\n"), "z 2");
  assert.equal(difference(shown("a 1\n...\nz 2\n", true), "a 7\nb\nz 3.5\n"), null);
  assert.equal(difference(shown("a 1\n...\nz 2 faster\n", true), "a 7\nb\nz 3.5 slower\n"), "z N faster");
  assert.equal(difference(shown("a 1\n"), "a 1\nb\n"), "a 1 (the end)");
  assert.equal(difference(shown("...\nb\n"), "a 1\nb\n"), null);
});

test("each picture in docs/ is there and has a text in its place", () => {
  for (const page of [...pages, "README.md"])
    for (const [, words = "", target = ""] of textOf(page).matchAll(/!\[([^\]]*)\]\(([^)]+)\)/g)) {
      assert.ok(words.length > 20, `${page}: ${target}`);
      assert.ok(existsSync(join(root, page, "..", target)), `${page}: ${target}`);
    }
});

test("README.md leads to each page of docs/", () => {
  for (const page of pages) assert.ok(textOf("README.md").includes(`](${page})`), page);
});

test("the reference is what the programs declare", async () => {
  assert.equal(
    readFileSync(referencePath, "utf8"),
    await referenceText(),
    "docs/reference.md is not up to date: run `npm run generate`",
  );
});

const longest = 35;
const mean = 18;

function readable(name: string, sentences: readonly Sentence[]): void {
  const long = sentences.filter(({ words }) => words > longest).map(({ text, words }) => `${words} words: ${text}`);
  assert.deepEqual(long, [], name);
  assert.ok(meanWords(sentences) <= mean, `${name}: ${meanWords(sentences)} words a sentence`);
}

test("README.md and docs/: no sentence of more than 35 words, 18 in the mean", () => {
  for (const page of ["README.md", ...pages]) readable(page, markdownSentences(textOf(page)));
});

test("help: no sentence of more than 35 words, 18 in the mean", async () => {
  for (const command of (await declaredCommands()).flatMap((each) => [each, ...each.actions])) {
    const texts = [
      command.summary,
      ...command.arguments.map(({ describe }) => describe),
      ...[...command.options.values()].map(({ describe = "" }) => describe),
      ...command.examples.map(({ meaning }) => meaning),
      command.epilogue,
    ];
    readable(`trilane ${command.name} --help`, texts.flatMap(plainSentences));
  }
});

test("sentences are counted as they are read", () => {
  const words = (text: string): number[] => markdownSentences(text).map((sentence) => sentence.words);
  assert.deepEqual(words("One two three. Four `five` [six](seven.md)!\n\n- eight nine\n- ten\n"), [3, 3, 2, 1]);
  assert.deepEqual(words("| a b | c |\n| --- | --- |\n| d e f | |\n"), [2, 1, 3]);
  assert.deepEqual(words("```sh\nno words here\n```\n# Nor here\n\nBut e.g. here.\n"), [3]);
});
