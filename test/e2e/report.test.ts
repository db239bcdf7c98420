// The report as a person uses it: by mouse and by keyboard, narrow, without script, and with hostile texts in it. How it looks is
// report_looks.test.ts, what it saves report_saving.test.ts.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Page } from "puppeteer-core";
import { gridFixture, hostileFixture, lossFixture, raceFixture } from "../cli/report/fixtures.ts";
import { built, endBrowser, open, overflowScript, overlapsScript, startBrowser, textOf } from "./report_browser.ts";

before(startBrowser);
after(endBrowser);

test("a race: the verdict is what one sees first; distributions, waterfalls, the link, what was left out", async () => {
  await open(raceFixture, {}, async (page) => {
    assert.match(await textOf(page, ".verdict .answer"), /^No difference shown between HTTP\/3 and HTTP\/2 on shop \(/);
    assert.match(
      await textOf(page, ".further"),
      /HTTP\/3 saves \d+ ms \(\d+ %, 95 % CI \d+ to \d+ %\) over HTTP\/1\.1\./,
    );
    const bottom = await page.$eval(".verdict", (element) => element.getBoundingClientRect().bottom);
    assert.ok(bottom < 500, "without scrolling");
    assert.match(await page.title(), /race shop: /);
    const shownMetric = (): Promise<unknown> =>
      page.evaluate(
        '[...document.querySelectorAll(".answer, #medians figcaption")].filter((part) => part.offsetParent).map((part) => part.textContent)',
      );
    assert.match(String(await shownMetric()), /^No difference.*Median page load time/);
    await page.click("#by-ttfb");
    assert.match(String(await shownMetric()), /^By TTFB, .*Median time to first byte/);
    await page.click("#by-plt");
    assert.equal((await page.$$('[data-metric="plt"] circle.dot')).length, 15);
    assert.equal(
      (await page.$$('[data-metric="plt"] path.cross')).length,
      1,
      "the invalid load has a PLT, the crashed one has none",
    );
    assert.equal((await page.$$("figure.waterfall .loadevent")).length, 3);
    assert.equal((await page.$$("figure.waterfall .hit")).length, 3 * 23);
    const [receive, dns] = await Promise.all(
      [".waterfall path.ph-receive", ".waterfall path.ph-dns"].map((selector) =>
        page.evaluate(`getComputedStyle(document.querySelector("${selector}")).fill`),
      ),
    );
    assert.equal(receive, "rgb(47, 127, 214)");
    assert.equal(dns, "rgb(27, 154, 170)");
    assert.match(await textOf(page, "#excluded"), /2 requests were answered over http\/1\.1 and not h2/);
    assert.match(await textOf(page, "#method"), /cubic/);
  });
});

test("one line at a moment through waterfalls and link, by keys and by dragging", async () => {
  await open(raceFixture, {}, async (page) => {
    await built(page);
    const lines = (): Promise<number[]> =>
      page.$$eval("details.group[open] svg[data-zero] > line.moment", (all) =>
        all.map((line) => Number(line.getAttribute("x1"))),
      );
    assert.deepEqual(await lines(), []);
    await page.focus(".moment-slider input");
    for (let press = 0; press < 40; press++) await page.keyboard.press("ArrowRight");
    const [waterfall, link, ...others] = await lines();
    assert.ok(waterfall !== undefined && waterfall > 328, String(waterfall));
    assert.deepEqual([link, ...others], [waterfall], "one axis, one place");
    const drawing = await page.$("figure.overtime svg");
    await drawing?.scrollIntoView();
    const box = await drawing?.boundingBox();
    assert.ok(box);
    const y = box.y + box.height - 60;
    await page.mouse.move(box.x + box.width * 0.5, y);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.75, y);
    await page.mouse.up();
    const [dragged, also] = await lines();
    assert.ok(dragged !== undefined && dragged > waterfall && dragged === also, `${dragged}, ${also}`);
    assert.match(await textOf(page, ".moment-slider output"), /^\d+ ms$/);
  });
});

test("waterfalls and link are zoomed together by keys, wheel and buttons; lines keep their times", async () => {
  await open(raceFixture, {}, async (page) => {
    await built(page);
    /** The window of each drawing, ms; how far its line is from the slider's time; whether its load events are in the window or hidden. */
    const shown = (): Promise<{ window: [number, number]; off_ms: number; isSound: boolean }[]> =>
      page.$$eval("details.group[open] svg[data-zero]", (all) =>
        all.map((svg) => {
          const { zero, ms } = (svg as unknown as { dataset: Record<string, string> }).dataset;
          const at = (x: number): number => Math.round((x - Number(zero)) / Number(ms));
          const { ownerDocument } = svg as unknown as {
            ownerDocument: { querySelector(of: string): { value: string } };
          };
          const slider = Number(ownerDocument.querySelector(".moment-slider input").value);
          const ticks = [...svg.querySelectorAll("text.mid")].map((text) => ({
            x: Number(text.getAttribute("x")),
            ms: Number(text.textContent),
          }));
          const within = (x: number): boolean => x > 327 && x < 949;
          const events = [...svg.querySelectorAll(".loadevent")];
          return {
            window: [at(328), at(948)] as [number, number],
            off_ms: Math.abs(at(Number(svg.querySelector("line.moment")?.getAttribute("x1"))) - slider),
            isSound:
              ticks.length > 3 &&
              ticks.every(({ x, ms: told }) => within(x) && Math.abs(at(x) - told) <= 1) &&
              events.every(
                (line) => (line.getAttribute("visibility") !== "hidden") === within(Number(line.getAttribute("x1"))),
              ),
          };
        }),
      );
    const windowOf = async (): Promise<[number, number]> => {
      const [waterfall, link, ...others] = await shown();
      assert.ok(waterfall && link && others.length === 0);
      for (const { off_ms, isSound } of [waterfall, link])
        assert.ok(off_ms <= 1 && isSound, JSON.stringify([waterfall, link]));
      assert.deepEqual(link.window, waterfall.window);
      return waterfall.window;
    };
    await page.focus(".moment-slider input");
    for (let press = 0; press < 100; press++) await page.keyboard.press("ArrowRight");
    const whole = await windowOf();
    await page.evaluate(`document.querySelector("figure.waterfall svg.wide").focus()`);
    await page.keyboard.press("+");
    await page.keyboard.press("+");
    const [from, to] = await windowOf();
    assert.ok(Math.abs((whole[1] - whole[0]) / (to - from) - 1.6 ** 2) < 0.02, `${from} to ${to} of ${whole}`);
    await page.keyboard.press("ArrowRight");
    assert.ok((await windowOf())[0] > from, "moved");
    await page.keyboard.press("0");
    assert.deepEqual(await windowOf(), whole);
    const drawing = await page.$("figure.waterfall svg.wide");
    const box = await drawing?.boundingBox();
    assert.ok(box);
    await page.mouse.move(box.x + box.width * 0.6, box.y + 100);
    await page.keyboard.down("Control");
    await page.mouse.wheel({ deltaY: -100 });
    await page.keyboard.up("Control");
    await page.waitForSelector("svg.zoomed");
    assert.ok((await windowOf())[1] < whole[1]);
    await page.evaluate(`document.querySelector(".zoom button:last-child").click()`);
    assert.deepEqual(await windowOf(), whole);
  });
});

test("three waterfalls share one time axis", async () => {
  await open(raceFixture, {}, async (page) => {
    const lines = await page.$$eval(".waterfall .loadevent", (all) =>
      all.map((line) => Number(line.getAttribute("x1"))),
    );
    const told = await page.$$eval(".waterfall .aside", (all) =>
      all.map((text) => Number(/PLT (\d+) ms/.exec(text.textContent ?? "")?.[1])),
    );
    const first = Number(
      await page.$eval(".waterfall path.ph-blocked", (path) => /M([\d.]+)/.exec(path.getAttribute("d") ?? "")?.[1]),
    );
    // One factor turns all PLTs (rounded to three figures) into places on the axis.
    const factors = lines.map((x, index) => (x - first) / (told[index] ?? Number.NaN));
    for (const factor of factors)
      assert.ok(Math.abs(factor / (factors[0] ?? Number.NaN) - 1) < 0.02, factors.join(" "));
  });
});

test("the grid: three maps side by side on one scale; a click filters; hover tells n, medians and interval", async () => {
  await open(gridFixture, {}, async (page) => {
    const tops = await page.$$eval("svg.heat", (maps) =>
      maps.map((map) => Math.round(map.getBoundingClientRect().top)),
    );
    assert.equal(tops.length, 3);
    assert.equal(new Set(tops).size, 1, "side by side");
    assert.match(await textOf(page, "#filtered"), /^100 of 100 shown$/);
    const cell = await page.$('svg.heat a[aria-label^="h3 over h1, 5 Mbit/s, 150 ms RTT"]');
    assert.ok(cell);
    await cell.hover();
    assert.match(await textOf(page, ".heatmaps .readout"), /95 %: .*medians h3 .*, h1 .*loads h3 5, h1 5/);
    await cell.click();
    assert.match(await textOf(page, "#filtered"), /^1 of 100 shown$/);
    assert.ok(await page.$eval('details.group[data-link="5mbit/150ms"]', (section) => section.hasAttribute("open")));
    assert.equal((await page.$$("table.medians tbody tr:not([hidden])")).length, 1);
    await page.click('form.filter button[type="reset"]');
    await page.waitForFunction(`document.querySelector("#filtered").textContent === "100 of 100 shown"`);
  });
});

test("by keyboard: arrows walk a map, Enter chooses, arrows read a waterfall, a head sorts", async () => {
  await open(gridFixture, {}, async (page) => {
    await page.evaluate(`document.querySelector('svg.heat a[tabindex="0"]').focus()`);
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowDown");
    const label = await page.evaluate(`document.activeElement.getAttribute("aria-label")`);
    assert.match(String(label), /^h2 over h1, 0\.3 Mbit\/s, 60 ms RTT/);
    await page.keyboard.press("Enter");
    await page.waitForFunction(`document.querySelector("#filtered").textContent === "1 of 100 shown"`);
    await page.evaluate(`document.querySelector("details.group:not([hidden]) svg.wide[tabindex]").focus()`);
    await page.keyboard.press("ArrowDown");
    assert.match(await textOf(page, "details.group:not([hidden]) .waterfall .readout"), /shop\.example\.com.*200, h1/);
    await page.click('form.filter button[type="reset"]');
    await page.click("table.medians th:nth-child(3) button");
    const medians = await page.$$eval("table.medians tbody tr td:nth-child(3)", (cells) =>
      cells.map((cell) => Number(cell.getAttribute("data-sort"))),
    );
    assert.deepEqual(
      medians,
      medians.toSorted((a, b) => a - b),
    );
  });
});

test("maps, medians and waterfalls are linked: what is pointed at or focused marks what belongs to it", async () => {
  // Of the metric that is shown.
  const marked = (page: Page, what: string): Promise<number> =>
    page.$$eval(what, (found) => found.filter((part) => part.getClientRects().length > 0).length);
  await open(lossFixture, {}, async (page) => {
    const cell = await page.$('figure[data-page="carlucci-medium"] svg.heat a[data-link="3mbit/50ms"]');
    await cell?.hover();
    // Of three maps of all pages one cell each, and of its own page's three the two others.
    assert.equal(await marked(page, "svg.heat a.linked"), 5);
    assert.equal(await marked(page, "table.medians tr.linked"), 1);
    assert.equal(await marked(page, 'details.group.linked[data-page="carlucci-medium"]'), 1);
    await page.focus('table.medians tr[data-page="carlucci-large"][data-link="10mbit/50ms"] a');
    assert.equal(await marked(page, "svg.heat a.linked"), 6, "by keyboard, three of all pages and three of its own");
    assert.equal(await marked(page, 'details.group.linked[data-page="carlucci-large"]'), 1);
    await page.mouse.move(0, 0);
  });
  await open(raceFixture, {}, async (page) => {
    await page.evaluate(`document.querySelector("figure.waterfall svg.wide").focus()`);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    assert.equal(await marked(page, ".waterfall .hit.same"), 2, "the request in the other lanes");
  });
});

/** The least letters of drawings that are made for it, px. */
const lettersScript = `Math.min(...[...document.querySelectorAll("svg.wide.narrow")].flatMap((svg) => {
  const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
  // Of another metric: not shown.
  return scale === 0 ? [] : [...svg.querySelectorAll("text")].map((text) => parseFloat(getComputedStyle(text).fontSize) * scale);
}))`;

test("on a telephone waterfalls, the link and distributions fit, with letters to read; wide again, they are as before", async () => {
  await open(raceFixture, { width: 390 }, async (page) => {
    await built(page);
    // One of each metric is drawn, and one is shown.
    const drawings = await page.$$eval("svg.wide.narrow", (all) =>
      all.map((svg) => svg.getBoundingClientRect().width).filter((width) => width > 0),
    );
    assert.equal(drawings.length, 3);
    for (const width of drawings) assert.ok(width <= 390, `${width}`);
    const least_px = Number(await page.evaluate(lettersScript));
    assert.ok(least_px >= 9.5, `letters of ${least_px} px`);
    assert.equal((await page.$$("figure.waterfall .hit")).length, 3 * 23);
    assert.deepEqual(await page.evaluate(overlapsScript), []);
    assert.equal(await page.evaluate(overflowScript), 0);
    const bottom = await page.$eval(".verdict", (element) => element.getBoundingClientRect().bottom);
    assert.ok(bottom < 844, "the answer without scrolling");
    await page.setViewport({ width: 1280, height: 900 });
    await page.waitForFunction(`document.querySelector("svg.narrow") === null`);
    assert.equal((await page.$$("figure.waterfall svg.wide")).length, 1);
  });
});

test("filter by page", async () => {
  await open(lossFixture, {}, async (page) => {
    await page.select('select[name="page"]', "carlucci-medium");
    assert.match(await textOf(page, "#filtered"), /^6 of 18 shown$/);
    assert.equal((await page.$$('[data-metric="plt"] table.medians tbody tr:not([hidden])')).length, 6);
  });
});

test("filter by lane, host and type; from page to page", async () => {
  await open(raceFixture, {}, async (page) => {
    const paled = (what: string): Promise<number> => page.$$eval(`${what}.other`, (found) => found.length);
    const hosts = await page.$$eval('select[name="host"] option', (options) => options.map((each) => each.textContent));
    assert.deepEqual(hosts, ["all", "images.example.net", "shop.example.com"]);
    await page.select('select[name="host"]', "shop.example.com");
    assert.equal(await paled(".waterfall .hit"), 3 * 20);
    await page.select('select[name="type"]', "document");
    assert.equal(await paled(".waterfall .hit"), 3 * 22);
    await page.select('select[name="lane"]', "h3");
    assert.equal(await paled(".waterfall g"), 2);
    await page.click('form.filter button[type="reset"]');
    await page.waitForFunction(`document.querySelectorAll(".other").length === 0`);
  });
  await open(lossFixture, {}, async (page) => {
    const opened = (): Promise<string> =>
      page.$$eval("details.group[open]", (found) => found.map((each) => each.id).join(" "));
    assert.equal(await opened(), "g1");
    await page.click('form.filter button[name="next"]');
    assert.equal(await opened(), "g2");
    await page.select('select[name="page"]', "carlucci-medium");
    await page.click('form.filter button[name="next"]');
    assert.match(await opened(), /^(g2 )?g7$/);
    await page.click('form.filter button[name="next"]');
    assert.match(await opened(), /^(g2 )?g8$/);
    await page.click('form.filter button[name="previous"]');
    assert.match(await opened(), /^(g2 )?g7$/);
  });
});

test("without script all is there to read", async () => {
  await open(raceFixture, { script: false }, async (page) => {
    const text = await textOf(page, "body");
    for (const part of [/saves .* HTTP\/1\.1/, /do not count/, /Method/, /h2 over h1/]) assert.match(text, part);
    assert.ok(await page.$eval("form.filter", (form) => form.hasAttribute("hidden")));
    assert.equal((await page.$$("figure.waterfall svg.wide")).length, 1);
  });
  await open(gridFixture, { script: false }, async (page) => {
    assert.equal((await page.$$("table.medians tbody tr")).length, 100);
    assert.equal((await page.$$("details.group > noscript > figure:first-of-type")).length, 99);
  });
});

test("what is far down is built when it is opened, a fragment's target, filtered, sorted, searched or printed, and in pauses", async () => {
  const click = (page: Page, selector: string) =>
    page.$eval(selector, (element) => (element as unknown as { click(): void }).click());
  const wanted: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
    opened: (page) => click(page, "#g57 summary"),
    target: (page) => page.evaluate(`location.hash = "g57"`).then(() => page.waitForSelector("#g57[open]")),
    filtered: (page) => page.select('select[name="link"]', "5mbit/150ms"),
    sorted: (page) => click(page, "table.medians th:nth-child(3) button"),
    searched: (page) =>
      page.evaluate(
        `document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "f", ctrlKey: true, bubbles: true }))`,
      ),
    printed: (page) => page.pdf(),
    "in pauses": built,
  };
  const found: Record<string, unknown> = {};
  for (const [what, want] of Object.entries(wanted)) {
    await open(gridFixture, { pauses: what === "in pauses" }, async (page) => {
      await want(page);
      const count = (selector: string) => page.$$eval(selector, (all) => all.length);
      found[what] = [await count("table.medians tr"), await count("details.group > noscript")];
    });
  }
  // Rows of the table with its head, and sections that are not built; the first one always is.
  assert.deepEqual(found, {
    opened: [51, 98],
    target: [51, 98],
    filtered: [101, 98],
    sorted: [101, 99],
    searched: [101, 0],
    printed: [101, 0],
    "in pauses": [101, 0],
  });
});

test("hostile texts do nothing and break nothing", async () => {
  await open(hostileFixture, { width: 800 }, async (page) => {
    assert.equal((await page.$$("img, iframe, object, embed")).length, 0);
    assert.equal((await page.$$("script")).length, 1);
    assert.match(await textOf(page, "#medians"), /<script>|onerror/);
    await built(page);
    await page.$$eval("details", (all) => {
      for (const section of all) section.setAttribute("open", "");
    });
    const overflow = Number(await page.evaluate(overflowScript));
    assert.ok(overflow <= 0, `${overflow} px beyond the window`);
  });
});
