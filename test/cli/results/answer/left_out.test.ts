// What an answer is without: a line always, a warning with its remedy above a tenth.
import assert from "node:assert/strict";
import { test } from "node:test";
import { leftOut } from "../../../../cli/results/answer/left_out.ts";
import type { Sample } from "../../../../cli/results/verdict/sample.ts";

function loads(lane: string, valid: number, invalid: number, more: Partial<Sample> = {}): Sample[] {
  return Array.from({ length: valid + invalid }, (_, block) => ({
    ...{ lane, page: "p", link: "l", block, plt_ms: 500 },
    ...(block < valid
      ? { status: "valid" as const, reasons: [] }
      : { status: "invalid" as const, reasons: ["x"], ...more }),
  }));
}

test("nothing is left out; a tenth is not many", () => {
  assert.equal(leftOut(loads("h1", 9, 0)), null);
  const left = leftOut([...loads("h1", 9, 1), ...loads("h3", 10, 0)]);
  assert.equal(left?.line, "1 of 20 loads does not count: x (1).");
  assert.equal(left?.warning, null);
  assert.equal(leftOut(loads("h1", 9, 1))?.warning, null, "a tenth");
});

test("more than a tenth: by lane, with what to do about the commonest reason", () => {
  const many = (reason: string) =>
    leftOut([...loads("h1", 5, 5, { reasons: [reason] }), ...loads("h3", 10, 0)])?.warning;
  assert.equal(many("x")?.line, "5 loads of 20 (25 %) do not count: HTTP/1.1 50 %, HTTP/3 0 %.");
  assert.match(many("the machine disturbed the load: by up to 9 ms")?.remedy ?? "", /^Let less run on this machine\.$/);
  assert.match(
    many("covers too little of the recording: 3 of 9")?.remedy ?? "",
    /trilane recording check p` shows what is missing/,
  );
  assert.match(
    many("x")?.remedy ?? "",
    /^The report names the reasons; race and sweep keep .* with --evidence FOLDER\.$/,
  );
});

test("those that timed out count, as slow", () => {
  const slow = loads("h1", 0, 10, { status: "failed", reasons: ["the load event did not come within 60000 ms"] });
  const left = leftOut(slow);
  assert.match(left?.line ?? "", /^10 loads timed out and count as slower/);
  assert.deepEqual([left?.share, left?.warning], [0, null]);
});
