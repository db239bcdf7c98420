// Files of numbers for losses and jitter: what is taken, and what is refused in which line. The same texts are read by
// test/native/shaper for trilane-shaper.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { UserError } from "../../../cli/errors.ts";
import { settleFiles } from "../../../cli/link/files.ts";
import { parseLink } from "../../../cli/link/link.ts";
import { readNumbers } from "../../../cli/link/number_file.ts";
import { checkout } from "../../../cli/programs.ts";

interface Texts {
  readonly valid: { text: string; numbers: number[] }[];
  readonly invalid: { text: string; line: number }[];
}
const texts: Texts = JSON.parse(readFileSync(join(checkout, "schemas/examples/number-files.json"), "utf8"));
const folder = mkdtempSync(join(tmpdir(), "trilane-numbers-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const path = join(folder, "numbers");

test("numbers are read as the examples say", () => {
  for (const { text, numbers } of texts.valid) {
    writeFileSync(path, text);
    const read = [...readNumbers(path, 30)];
    assert.ok(read.length === numbers.length && read.every((value, index) => value === numbers[index]), text);
  }
});

test("what is none is refused with its line, and nothing that a terminal would obey", () => {
  for (const { text, line } of texts.invalid) {
    writeFileSync(path, text);
    assert.throws(
      () => [...readNumbers(path, 30)],
      (error) =>
        error instanceof UserError &&
        error.message.startsWith(`${path}:${line}: "`) &&
        /^[ -~…]* is not a number from 0 to 30: write decimal numbers, one a line$/.test(error.message),
      JSON.stringify(text),
    );
  }
  writeFileSync(path, " \n\n");
  assert.throws(() => [...readNumbers(path, 30)], new UserError(`${path}: holds no number: write one a line`));
});

test("a number may lie across two pieces of the file", () => {
  // Pieces are of 1 MiB: seven bytes a number put every offset at a border sooner or later.
  writeFileSync(path, "12.345 ".repeat(1_200_000));
  let count = 0;
  for (const value of readNumbers(path, 30)) {
    assert.ok(value === 12.345);
    count++;
  }
  assert.equal(count, 1_200_000);
  writeFileSync(path, `${"1\n".repeat(600_000)}${"1".repeat(3_000_000)}`);
  assert.throws(() => [...readNumbers(path, 30)], /^UserError: .*:600001: "1+…" is not a number/);
});

test("a file of jitter is looked into before anything is measured, as one of losses", () => {
  writeFileSync(path, "0.5\n60000\n1e-5\n");
  const jitter = `3mbit/50ms,jitter_up=file:${path}`;
  assert.equal(settleFiles(parseLink(jitter), folder).up.loss, 0);
  writeFileSync(path, "0.5\n60001\n");
  assert.throws(() => settleFiles(parseLink(jitter), folder), /:2: "60001" is not a number from 0 to 60000/);
  writeFileSync(path, "1e0 -0 0 +1");
  assert.equal(settleFiles(parseLink(`3mbit/50ms,loss=file:${path}`), folder).down.loss, 0.5);
});
