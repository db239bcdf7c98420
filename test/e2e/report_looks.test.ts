// How a report looks in light, in dark and on paper: no text overlaps or is cut, contrast, and what axe finds.
// Wide: cli/report.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { exampleFixture, gridFixture, hostileFixture, lossFixture, raceFixture } from "../cli/report/fixtures.ts";
import { axeFindings } from "./axe.ts";
import {
  built,
  endBrowser,
  open,
  outsideScript,
  overflowScript,
  overlapsScript,
  startBrowser,
} from "./report_browser.ts";

before(startBrowser);
after(endBrowser);

// What these reports have now; the bars are 1 500 and 6 000. Lower them when a report has fewer.
const mostClosed = 1480;
const mostOpen = 5900;

/** Contrast of every visible text in HTML against the nearest background, and of SVG text outside of heat map cells. */
const contrastScript = `(() => {
  const parse = (colour) => { const m = /rgba?\\(([^)]+)\\)/.exec(colour); if (!m) return null; const v = m[1].split(/[ ,/]+/).map(Number); return v.length > 3 && v[3] === 0 ? null : v.slice(0, 3); };
  const light = (c) => { const [r, g, b] = c.map((x) => { const s = x / 255; return s <= 0.04045 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const ratio = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => p - q); return (y + 0.05) / (x + 0.05); };
  const low = [];
  for (const element of document.querySelectorAll("body *")) {
    if (element.closest(".heat g, details:not([open]), [hidden], defs")) continue;
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim() !== "");
    if (!own || ["SCRIPT", "STYLE", "title", "OPTION"].includes(element.tagName)) continue;
    const style = getComputedStyle(element);
    const ink = parse(element.ownerSVGElement ? style.fill : style.color);
    let at = element, paper = null;
    while (at && !paper) { paper = parse(getComputedStyle(at).backgroundColor); at = at.parentElement; }
    paper ??= [255, 255, 255];
    if (ink && ratio(ink, paper) < 4.5) low.push(element.tagName + " " + element.textContent.slice(0, 30) + " " + ratio(ink, paper).toFixed(2));
  }
  return low.slice(0, 5);
})()`;

for (const fixture of [raceFixture, lossFixture, gridFixture, hostileFixture]) {
  for (const look of [
    { width: 1280, theme: "light" },
    { width: 800, theme: "dark" },
    { width: 703, print: true },
  ] as const) {
    test(`${fixture.name}: no text overlaps or is cut at ${look.width} px${"print" in look ? " on paper" : `, ${look.theme}`}; contrast 4.5:1`, async () => {
      await open(fixture, look, async (page) => {
        if (fixture !== gridFixture) {
          await built(page);
          await page.$$eval("details.group", (all) => {
            for (const section of all) section.setAttribute("open", "");
          });
        }
        assert.deepEqual(await page.evaluate(overlapsScript), []);
        assert.deepEqual(await page.evaluate(outsideScript), []);
        assert.deepEqual(await page.evaluate(contrastScript), []);
        const overflow = Number(await page.evaluate(overflowScript));
        assert.ok(overflow <= 0, `${overflow} px beyond the window`);
      });
    });
  }
}

for (const fixture of [raceFixture, lossFixture])
  test(`${fixture.name}: axe finds nothing, closed and open, light and dark`, async () => {
    await open(fixture, {}, async (page) => {
      assert.deepEqual(await axeFindings(page), []);
      await built(page);
      await page.$$eval("details", (all) => {
        for (const section of all) section.setAttribute("open", "");
      });
      assert.deepEqual(await axeFindings(page), []);
    });
  });

test("words of a report of two pages on four links: closed 1 500 at most, all open 6 000; numbers are none", async () => {
  const wordsOf = (text: unknown): number => String(text).match(/\S*\p{L}\S*/gu)?.length ?? 0;
  await open(exampleFixture, {}, async (page) => {
    await built(page);
    const closed = wordsOf(await page.evaluate("document.body.innerText"));
    await page.$$eval("details", (all) => {
      for (const section of all) section.setAttribute("open", "");
    });
    const whole = wordsOf(await page.evaluate("document.body.innerText"));
    assert.ok(closed > 200 && closed <= mostClosed, `${closed} closed`);
    assert.ok(whole > closed && whole <= mostOpen, `${whole} open`);
  });
});
