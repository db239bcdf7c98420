// cli/report/figure_files.ts and figures/plain_css.ts: each figure of a report as CSV, and as SVG that any program can draw.
// Wide: cli/report.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { type FigureFile, figureFiles } from "../../../cli/report/figure_files.ts";
import { plainCss } from "../../../cli/report/figures/plain_css.ts";
import { buildReport } from "../../../cli/report/report.ts";
import type { Fixture } from "./fixture.ts";
import { hostileFixture, lossFixture, manyPagesFixture, raceFixture } from "./fixtures.ts";
import { reportData } from "./written_report.ts";

function filesOf(fixture: Fixture): { report: string; files: FigureFile[] } {
  const report = buildReport(reportData(fixture));
  return { report, files: figureFiles(report) };
}

/** The names of those that are no XML, with what is wrong, by Python's parser, which is a strict one. */
function notXml(files: readonly FigureFile[]): string {
  const script = `import sys, json, xml.dom.minidom
for file in json.load(sys.stdin):
    try: xml.dom.minidom.parseString(file["text"].encode())
    except Exception as error: print(file["name"], error)`;
  return spawnSync("python3", ["-c", script], { input: JSON.stringify(files), encoding: "utf8" }).stdout;
}

const hasPython = spawnSync("python3", ["-c", "import xml.dom.minidom"]).status === 0;

for (const fixture of [raceFixture, lossFixture, manyPagesFixture, hostileFixture])
  test(`${fixture.name}: a file for each figure; drawings need no style sheet of a browser's`, () => {
    const { report, files } = filesOf(fixture);
    const names = files.map(({ name }) => name);
    assert.equal(new Set(names.map((name) => name.toLowerCase())).size, names.length);
    assert.equal(names.filter((name) => name.endsWith(".csv")).length, report.match(/ data-csv="/g)?.length);
    const drawings = files.filter(({ name }) => name.endsWith(".svg"));
    assert.ok(drawings.length > 0);
    for (const { name, text } of drawings) {
      assert.doesNotMatch(text, /var\(|@media|:hover|<a |NaN|undefined|<script/, name);
      assert.match(text, /^<\?xml .*\n<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="-10 -10 \d+ \d+/, name);
    }
    for (const { name } of files) assert.match(name, /^[A-Za-z0-9_-][A-Za-z0-9._-]{0,95}\.(csv|svg)$/);
  });

test("drawings are XML", { skip: !hasPython && "no Python" }, () => {
  for (const fixture of [raceFixture, lossFixture, hostileFixture])
    assert.equal(notXml(filesOf(fixture).files.filter(({ name }) => name.endsWith(".svg"))), "");
  assert.match(notXml([{ name: "open.svg", text: "<svg><g></svg>" }]), /^open\.svg mismatched tag/);
});

test("a table is CSV alone; maps have their legend; waterfalls their hatches", () => {
  const { files } = filesOf(lossFixture);
  const names = files.map(({ name }) => name);
  assert.ok(names.includes("medians.csv") && !names.includes("medians.svg"), names.join());
  const map = files.find(({ name }) => /^improvement-.*\.svg$/.test(name))?.text ?? "";
  assert.match(map, /<svg class="legend"/);
  assert.match(map, />Heat map, h3 over h1[^<]*<\/text>/);
  const waterfall = files.find(({ name }) => /^waterfall-.*\.svg$/.test(name))?.text ?? "";
  assert.match(waterfall, /<pattern id="hatch-ssl"/);
  assert.match(waterfall, /^\.hatch\{stroke:#ffffffb0;stroke-width:1\.2;fill:none\}$/m);
});

test("colours of lanes and of steps are where the browser would have them", () => {
  const css = `:root { --ink: #111; --paper: #fff; }
    .dot { fill: var(--dot, var(--lane, var(--ink))); margin: 3px; }
    svg .axis, p .axis, svg:hover { fill: var(--soft, #777) }
    .lane-h2 { --lane: #00f }
    .lane-h2-0rtt { --lane: #00f; --dot: var(--paper); }
    .b3 { fill: #abc } .b3~* { --on: #eee } .b3+text { fill: var(--on) }
    .sign { fill: var(--on, var(--ink)) }
    .none { fill: var(--nowhere) }
    .wide { width: 100% }
    @media print { .dot { fill: red } }`;
  const lines = (...classes: string[]): string[] => plainCss(css, new Set(classes)).split("\n");
  assert.deepEqual(lines("dot"), [".dot{fill:#111}"]);
  assert.deepEqual(lines("dot", "lane-h2"), [".dot{fill:#111}", ".lane-h2 .dot,.dot.lane-h2{fill:#00f}"]);
  assert.deepEqual(lines("dot", "lane-h2-0rtt").at(-1), ".lane-h2-0rtt .dot,.dot.lane-h2-0rtt{fill:#fff}");
  assert.deepEqual(lines("axis"), ["svg .axis{fill:#777}"]);
  assert.deepEqual(lines("b3", "sign"), [
    ".b3{fill:#abc}",
    ".b3+text{fill:#eee}",
    ".sign{fill:#111}",
    ".b3~* .sign,.b3~.sign{fill:#eee}",
  ]);
  assert.deepEqual(lines("none", "wide"), [""]);
});
