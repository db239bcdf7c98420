// Which CPUs labs have for themselves.
import assert from "node:assert/strict";
import { test } from "node:test";
import { labCpus, labsWords, parseCpuList } from "../../../cli/load/lab.ts";

test("sets as Linux writes them", () => {
  assert.deepEqual(parseCpuList("0-3,8\n"), [0, 1, 2, 3, 8]);
  assert.deepEqual(parseCpuList("5"), [5]);
});

test("two at least for each lab, none shared; else nobody is bound", () => {
  assert.deepEqual(labCpus([0, 1, 2, 3, 8], 2), [
    [0, 1],
    [2, 3],
  ]);
  assert.deepEqual(labCpus([0, 1, 2, 3, 4, 5, 6], 2), [
    [0, 1, 2],
    [3, 4, 5],
  ]);
  assert.equal(labCpus([0, 1], 2), null);
  assert.equal(labCpus([0, 1, 2, 3], 1), null);
});

test("the terms of a study say which", () => {
  assert.equal(labsWords(1, [0, 1]), "one after another");
  assert.equal(labsWords(2, [0, 1]), "up to 2 side by side on slow links, not bound to CPUs: 2 are too few");
  assert.equal(labsWords(2, [0, 1, 2, 3]), "up to 2 side by side on slow links, each bound to 2 CPUs of its own");
});
