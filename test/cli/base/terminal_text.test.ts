// What a terminal gets: no control character out of a HAR, in whatever field, reaches it, in lines or in JSON, and whoever prints
// does so through cli/base/terminal_text.ts.
import assert from "node:assert/strict";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { checkout } from "../../../cli/base/programs.ts";
import { terminalJson, terminalText } from "../../../cli/base/terminal_text.ts";
import { run } from "../../product.ts";
import { tempFolder } from "../../temp_folder.ts";

const folder = tempFolder("trilane-terminal-");

// Sets the clipboard; the same in C1; turns text round.
const evil = "a\x1b]52;c;ZXZpbA==\x07b\x9d52;c;ZXZpbA==\x9cc\u202ed\ne\x7f";

test("control characters are shown, not sent", () => {
  assert.equal(terminalText(evil), "a\\x1b]52;c;ZXZpbA==\\x07b\\x9d52;c;ZXZpbA==\\x9cc\\u202ed\\x0ae\\x7f");
  for (const mark of ["\u061c", "\u200e", "\u200f", "\u202a", "\u202e", "\u2066", "\u2069"])
    assert.equal(terminalText(`a${mark}b`), `a\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}b`);
  assert.equal(terminalText("Zürich – 50 ms … 東京"), "Zürich – 50 ms … 東京");
});

test("JSON keeps its meaning without a control character in it", () => {
  const text = terminalJson({ evil });
  assert.doesNotMatch(text, /[\p{Cc}\u202e]/u);
  assert.deepEqual(JSON.parse(text), { evil });
});

test("a hostile HAR's texts come to the terminal as text", () => {
  const path = join(folder, "evil.har");
  const request = { method: "GET", url: "https://shop.example/", headers: [] };
  const content = { mimeType: `text/html${evil}`, text: "<p>x" };
  const response = { status: 200, headers: [{ name: "content-type", value: `text/${evil}` }], content };
  const entry = { pageref: "p", startedDateTime: "2026-01-01T00:00:00.000Z", request, response };
  const pages = [{ id: "p", title: evil }];
  writeFileSync(path, JSON.stringify({ log: { creator: { name: evil, version: evil }, pages, entries: [entry] } }));
  for (const words of [
    ["import", path, "--name", "evil", "--replace"],
    ["import", path, "--name", "evil", "--replace", "--json"],
    ["recording", "show", "evil"],
    ["recording", "show", "evil", "--requests"],
    ["recording", "show", "evil", "--json"],
    ["list"],
  ]) {
    const { status, stdout, stderr } = run(join(folder, "home"), words);
    assert.equal(status, 0, stderr);
    assert.doesNotMatch(stdout + stderr, /[^\P{Cc}\n]|\u202e/u, words.join(" "));
  }
});

test("nothing else prints", () => {
  // Painted lines, of which each text went through terminalText; set-up; the version, before anything is loaded; a program of its own, whose
  // output is read by us.
  const allowed =
    /^(?:main|base\/terminal_text|commands\/(?:completion|meter|selftest|trace_info)|browser\/firefox\/bridge|install\/.*)\.ts$/;
  const printing = globSync("**/*.ts", { cwd: join(checkout, "cli") })
    .filter((path) => !allowed.test(path))
    .filter((path) =>
      /process\.std(?:out|err)\.write\(|console\.\w+\(/.test(readFileSync(join(checkout, "cli", path), "utf8")),
    );
  assert.deepEqual(printing, []);
});
