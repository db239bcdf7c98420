// The report of two browsers: their answers side by side, with versions and signs; nothing where there is one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { agreementSection } from "../../../cli/report/agreement_section.ts";
import type { ReportData } from "../../../cli/report/data.ts";
import { wordsOf } from "./markup_text.ts";

const versions: Readonly<Record<string, string>> = { "@chromium": "156.0", "@firefox": "Firefox 153.8" };

/** h3 gains as much of 1000 ms as `gains_ms` has for the browser, on one page on one link. */
function section(gains_ms: Readonly<Record<string, number>>): string {
  const loads = Object.entries(gains_ms).flatMap(([browser, gain_ms]) =>
    Array.from({ length: 12 }, (_, block) =>
      ["h2", "h3"].map((lane) => ({
        ...{ page: "shop", link: "10mbit/50ms", lane: `${lane}${browser}`, block, status: "valid", reasons: [] },
        browser_version: versions[browser] ?? "156.0",
        plt_ms: 1000 + ((block * 7) % 11) - (lane === "h3" ? gain_ms : 0),
      })),
    ).flat(),
  );
  const data = { loads, sweep: { seed: 1, name: "two" } } as unknown as ReportData;
  return wordsOf(agreementSection(data)?.text);
}

test("answers stand beside versions, with how far they are apart, and the signs of each page on a link", () => {
  const text = section({ "@chromium": 200, "@firefox": 100 });
  assert.match(
    text,
    /Lanes Chromium 156\.0 Firefox 153\.8 Together h3 over h2 19\.9 % .* they agree; 10\.0 points less in Firefox/,
  );
  assert.match(text, /shop 10mbit\/50ms \+ \+ same/);
  assert.match(section({ "@chromium": 200, "@firefox": -100 }), /they disagree; .* shop 10mbit\/50ms \+ − differ/);
});

test("one browser has nothing to agree with", () => {
  assert.equal(section({ "": 100 }), "");
});
