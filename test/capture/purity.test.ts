// The capture runs in the browser's extension as well as in Node: it may use neither's modules.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const folder = join(import.meta.dirname, "..", "..", "extension", "capture");

test("extension/capture imports nothing but itself, types and schemas", () => {
  const files = readdirSync(folder).filter((name) => name.endsWith(".ts"));
  assert.ok(files.length >= 5);
  for (const file of files) {
    const text = readFileSync(join(folder, file), "utf8");
    const imports = [...text.matchAll(/^import (type )?[^;]*?from "([^"]+)"(?: with [^;]*)?;/gms)];
    for (const [, isType, from] of imports) {
      assert.ok(
        isType || /^\.\/|^(?:\.\.\/){2}schemas\/[\w-]+\.schema\.json$/.test(from ?? ""),
        `${file} imports ${from}`,
      );
    }
    // What the page is asked to evaluate runs in the page.
    const code = text
      .replace(/^export const \w+(Expression|Script) = `[\s\S]*?`;$/gm, "")
      .replace(/\/\*[\s\S]*?\*\//g, "")
      .replace(/\/\/.*$/gm, "");
    assert.doesNotMatch(code, /\b(process|Buffer|require\(|document\.|window\.|chrome\.)/, file);
  }
});
