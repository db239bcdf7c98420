import assert from "node:assert/strict";
import { test } from "node:test";
import { middleCut } from "../../../cli/base/middle_cut.ts";
import { escapeText, fitted, html, Markup } from "../../../extension/figures/markup.ts";
import { hostileName } from "./fixtures.ts";

test("what is put into a template is escaped, what the template says is not", () => {
  assert.equal(html`<b title="${`"'<>&`}">${"<i>"}</b>`.text, `<b title="&quot;&#39;&lt;&gt;&amp;">&lt;i&gt;</b>`);
  assert.ok(!html`<p title="${hostileName}">${hostileName}</p>`.text.includes("<script"));
});

test("markup nests unescaped, lists are joined, nothing is written for null, undefined and false", () => {
  const items = ["a", "<b>"].map((text) => html`<li>${text}</li>`);
  assert.equal(
    html`<ul>${items}</ul>${null}${undefined}${false}${new Markup("<hr>")}`.text,
    "<ul><li>a</li><li>&lt;b&gt;</li></ul><hr>",
  );
});

test("a text that looks like markup's class is still only text", () => {
  assert.equal(html`${JSON.parse('"<script>"') as string}`.text, "&lt;script&gt;");
});

test("coordinates are rounded to a tenth", () => {
  assert.equal(html`<i x="${1.23456}" y="${3}"/>`.text, `<i x="1.2" y="3"/>`);
});

test("control characters, direction marks and broken surrogates cannot hide what a text is", () => {
  assert.equal(escapeText("a\u202egnp.exe\u0000\ud800"), "a\ufffdgnp.exe\ufffd\ufffd");
  assert.equal(escapeText("tab\tand\nline"), "tab\tand\nline");
});

test("long texts lose their middle, never half a character", () => {
  assert.equal(middleCut("short", 10), "short");
  const cut = middleCut("https://example.com/a/very/long/path/file.js", 20);
  assert.equal([...cut].length, 20);
  assert.ok(cut.startsWith("https://") && cut.endsWith("file.js"));
  assert.equal([...middleCut("😀".repeat(50), 9)].length, 9);
});

test("labels are cut to their width: whole where they fit, a single letter too, wide letters sooner", () => {
  assert.equal(fitted("/", 200, 10), "/");
  assert.equal(fitted("image.jpg", 200, 10), "image.jpg");
  const narrow = fitted("i".repeat(100), 200, 10);
  const wide = fitted("W".repeat(100), 200, 10);
  assert.ok([...narrow].length > 2 * [...wide].length && wide.includes("…"));
  assert.equal(fitted("W", 1, 10), "…");
});
