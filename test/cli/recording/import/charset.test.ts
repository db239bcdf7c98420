import assert from "node:assert/strict";
import { test } from "node:test";
import { charsetParameter, encodeText } from "../../../../cli/recording/import/body.ts";

test("text decodes to itself in the charset it was encoded in", () => {
  for (const [charset, text] of [
    ["utf-8", "Grüße – 你好"],
    ["ISO-8859-1", "Grüße “€”"], // browsers read Windows-1252 there
    ["windows-1251", "Привет"],
    ["koi8-r", "Привет"],
    ["utf-16le", "Grüße 你好"],
    ["utf-16be", "Grüße"],
  ] as const) {
    const { bytes, asNamed } = encodeText(text, `text/html; charset="${charset}"`);
    assert.ok(asNamed, charset);
    assert.equal(new TextDecoder(charset).decode(bytes), text, charset);
  }
});

test("what cannot be written in the named charset is UTF-8, and said to be", () => {
  for (const [contentType, text] of [
    ["text/html; charset=shift_jis", "日本"],
    ["text/plain; charset=latin1", "日本"],
    ["text/plain; charset=nonsense", "ü"],
  ] as const) {
    const { bytes, asNamed, charset } = encodeText(text, contentType);
    assert.deepEqual([bytes.toString("utf8"), asNamed, charset], [text, false, "utf-8"], contentType);
  }
});

test("an HTML document's own declaration counts where the header has none", () => {
  const text = '<meta charset="windows-1252"><p>ü';
  assert.equal(encodeText(text, "text/html").bytes.at(-1), 0xfc);
  assert.equal(encodeText(text, "text/css").bytes.at(-1), 0xbc);
  assert.equal(charsetParameter("text/html;charset=UTF-8"), "utf-8");
  assert.equal(charsetParameter(undefined), null);
});
