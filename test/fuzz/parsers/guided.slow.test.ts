// What the guide is for: a fault behind four bytes, each of which leads to code of its own, is found; without looking at the coverage it
// would take 256^4 inputs of chance.
import assert from "node:assert/strict";
import { test } from "node:test";
import { UserError } from "../../../cli/base/errors.ts";
import { Coverage } from "./coverage.ts";
import { fuzz } from "./guided.ts";

function deepFault(input: Buffer): void {
  if (input[0] !== 0x54) throw new UserError("first");
  if (input[1] !== 0x81) throw new UserError("second");
  if (input[2] !== 0x03) throw new UserError("third");
  if (input[3] === 0xf7) throw new RangeError("fault");
}

test("a fault behind four bytes is found step by step", async () => {
  const coverage = new Coverage(/guided\.slow\.test/);
  let left = 400_000;
  const { finding, inputs } = await fuzz({
    ...{ parse: deepFault, corpus: [Buffer.from("abcd")], seed: 1, coverage },
    mayGoOn: () => left > 0,
    onInput: () => left--,
  });
  assert.ok(finding?.error instanceof RangeError, `${inputs} inputs, none of them the one`);
  assert.deepEqual([...finding.input.subarray(0, 4)], [0x54, 0x81, 0x03, 0xf7]);
});
