// What a trial load is taken to say of a page: what the page does counts, what the machine did does not.
import assert from "node:assert/strict";
import { test } from "node:test";
import { usualDevice } from "../../../cli/browser/device.ts";
import { coverageOf } from "../../../cli/load/metrics/coverage.ts";
import { timeOut } from "../../../cli/load/time_out.ts";
import { trialOf } from "../../../cli/load/trial.ts";
import type { PageLoad } from "../../../schemas/generated/page_load.ts";

const nothing = {
  digest: "d",
  requests: [],
  placeOf: new Map<number, number>(),
  placeOfKey: new Map<string, number>(),
  addresses: new Map(),
  isMixed: false,
  device: usualDevice,
};
const coverage = coverageOf(nothing, { seqs: [], cached: [], beyond: [], requests: 0 });

function ended(status: "valid" | "invalid" | "failed", ...reasons: string[]): PageLoad {
  const facts = { status, reasons, ...(status === "failed" ? {} : { coverage }) };
  return { log: { _trilane: facts } } as unknown as PageLoad;
}

test("too little asked for, too much, or another page in its place is the page's doing", () => {
  const little = "covers too little of the recording: 1 of 55 requests (1.8 %, bound 95 %)";
  const replaced = "the page replaced itself by https://page.test/?2: its load has no one beginning";
  const disturbed = "the machine disturbed the load: by up to 40 ms";
  const { outside, failure } = trialOf(ended("invalid", little, replaced, disturbed));
  assert.deepEqual([outside, failure], [[little, replaced], null]);
  assert.deepEqual(trialOf(ended("valid")).outside, []);
});

test("a load event that does not come is, unless the machine was disturbed; a browser that does not start is not", () => {
  const endless = timeOut(60_000);
  assert.deepEqual(trialOf(ended("failed", endless)).outside, [endless]);
  for (const reasons of [[endless, "the machine disturbed the load"], ["the browser did not start: no"]]) {
    const { outside, failure } = trialOf(ended("failed", ...reasons));
    assert.deepEqual([outside, failure], [[], reasons[0]]);
  }
});
