// The banner above the verdict, and the section on what the machine added.
import assert from "node:assert/strict";
import { test } from "node:test";
import { disturbanceSection, invalidBanner } from "../../../cli/report/disturbance.ts";
import type { Load } from "../../../cli/results/store/results.ts";

function loads(lane: string, valid: number, invalid: number, more: Partial<Load> = {}): Load[] {
  return Array.from({ length: valid + invalid }, (_, index) => ({
    ...{ lane, page: "p", link: "l", block: index, plt_ms: 500, reasons: [], browser_version: null },
    ...{ status: index < valid ? "valid" : "invalid", disturbance_ms: index, disturbance_link_ms: index / 2 },
    ...{ disturbance_cpu_ms: index / 2, tolerated_ms: 5 },
    ...more,
  })) as unknown as Load[];
}

test("more than a tenth of loads that do not count are said first, by lane", () => {
  assert.equal(invalidBanner([...loads("h1", 9, 1), ...loads("h3", 10, 0)]), null);
  assert.equal(invalidBanner(loads("h1", 9, 1)), null, "a tenth is not more");
  const text = invalidBanner([...loads("h1", 5, 5), ...loads("h3", 10, 0)])?.text ?? "";
  assert.match(text, /5 loads of 20 \(25 %\) do not count: h1 50 %, h3 0 %/);
  const slow = loads("h1", 0, 10, { status: "failed", reasons: ["the load event did not come within 60000 ms"] });
  assert.equal(invalidBanner(slow), null, "those that timed out count, as slow");
});

test("the section has the rule, and for each lane what was added and what does not count", () => {
  const { text } = disturbanceSection([...loads("h1", 5, 0), ...loads("h3", 3, 1)], {
    tolerance: { share: 0.02, ms: 7 },
  });
  assert.match(text, /larger of 2 % of its page load time and 7 ms/);
  assert.match(text, /<th scope="row">h1<\/th><td class="num">2\.0 ms<\/td>/);
  assert.match(text, /1 of 4 \(25 %\)/);
  assert.match(disturbanceSection(loads("h1", 1, 0, { disturbance_ms: null }), {}).text, /No load of this sweep/);
});
