// Who does not say yes has said no, by whichever key.
import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { confirm } from "../../../cli/base/confirm.ts";

async function answered(keys: string) {
  const input = new PassThrough();
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80 });
  const answer = confirm("Remove it?", input, output);
  input.write(keys);
  const no = new AbortController();
  try {
    // A question that is never answered is no answer.
    return await Promise.race([answer, wait(5000, "waits", { signal: no.signal })]);
  } finally {
    no.abort();
  }
}

test("yes is yes; another answer, Ctrl-C and Ctrl-D are no", async () => {
  for (const keys of ["y\n", "Yes\r"]) assert.equal(await answered(keys), true, JSON.stringify(keys));
  for (const keys of ["\n", "no\n", "yesterday\n", "\u0003", "\u0004", "y\u0003"])
    assert.equal(await answered(keys), false, JSON.stringify(keys));
});
