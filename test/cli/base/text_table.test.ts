import assert from "node:assert/strict";
import { test } from "node:test";
import { textTable } from "../../../cli/base/text_table.ts";

test("a table's first column is aligned left and the others right; a line ends without spaces", () => {
  assert.deepEqual(
    textTable([
      ["lane", "PLT", ""],
      ["h1-clear", "9 s", ""],
      ["h2", "900 ms", "+"],
    ]),
    ["lane         PLT", "h1-clear     9 s", "h2        900 ms  +"],
  );
  assert.deepEqual(textTable([]), []);
});
