// The section on what the machine added.
import assert from "node:assert/strict";
import { test } from "node:test";
import { disturbanceSection } from "../../../cli/report/disturbance.ts";
import type { Load } from "../../../cli/results/store/results.ts";

function loads(lane: string, valid: number, invalid: number, more: Partial<Load> = {}): Load[] {
  return Array.from({ length: valid + invalid }, (_, index) => ({
    ...{ lane, page: "p", link: "l", block: index, plt_ms: 500, reasons: [], browser_version: null },
    ...{ status: index < valid ? "valid" : "invalid", disturbance_ms: index, disturbance_link_ms: index / 2 },
    ...{ disturbance_cpu_ms: index / 2, tolerated_ms: 5 },
    ...more,
  })) as unknown as Load[];
}

test("the section has the rule, and for each lane what was added and what does not count", () => {
  const text =
    disturbanceSection([...loads("h1", 5, 0), ...loads("h3", 3, 1)], { tolerance: { share: 0.02, ms: 7 } })?.text ?? "";
  assert.match(text, /larger of 2 % of its page load time and 7 ms/);
  assert.match(text, /<th scope="row">h1<\/th><td><svg .*?<\/svg><\/td><td class="num">2\.0<\/td>/);
  assert.match(text, /1 of 4 \(25 %\)/);
  // 0 to 2 ms of 5.
  assert.match(text, /aria-label="h1: links were held up for at most 40 % of what is tolerated"/);
  assert.match(text, /class="tick" d="M1 3v14M12 3v14M23 3v14M34 3v14M45 3v14"/);
  assert.equal(disturbanceSection(loads("h1", 1, 0, { disturbance_ms: null }), {}), null, "nothing to tell");
  assert.doesNotMatch(text, /On a busy machine/);
});

test("of a busy machine it shows the slope of each page and link, and how far medians may be off", () => {
  const busy = { disturbance_ms: 300, disturbance_estimate_ms: 20 };
  const text = disturbanceSection([...loads("h1", 5, 0, busy), ...loads("h3", 5, 0, busy)], {})?.text ?? "";
  assert.match(text, /<th scope="row">p<\/th><td>l<\/td><td class="num">10 of 10<\/td><td class="num">20\.0<\/td>/);
  assert.match(text, /<td class="num">unknown<\/td><td class="num">unknown<\/td><td class="num">10\.0<\/td>/);
});
