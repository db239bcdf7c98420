// The picture of several pages and links: on a busy machine dots are without what other programs added, as medians are; on an axis of per
// cent the gain is in per cent first.
import assert from "node:assert/strict";
import { test } from "node:test";
import { firstFigure } from "../../../cli/report/first_figure.ts";
import type { GroupResult } from "../../../cli/report/tables.ts";
import { exampleFixture } from "./fixtures.ts";
import { csvOf } from "./markup_text.ts";
import { reportData } from "./written_report.ts";

const waited_ms = 60;

test("of more loads than a reader could tell apart each lane's are drawn evenly, and the caption has both numbers", () => {
  const data = reportData(exampleFixture);
  const copies = Math.ceil(7000 / data.loads.length);
  // The second half are crosses, so that a selection that leans to the beginning has none.
  const late = { status: "invalid", reasons: ["late"] } as const;
  const loads = Array.from({ length: copies }, (_, copy) =>
    data.loads.map((load) => ({ ...load, id: load.id + copy * data.loads.length, ...(copy < copies / 2 ? {} : late) })),
  ).flat();
  const text = firstFigure({ ...data, loads }, [{}, {}] as GroupResult[])?.text ?? "";
  const drawn = [...text.matchAll(/<path class="(?:dot|cross)" d="([^"]*)"/g)].map(
    ([, d = ""]) => d.split("M").length - 1,
  );
  const lanes = new Set(data.cells.map(({ lane }) => lane)).size;
  assert.ok(drawn.length >= lanes);
  const total = drawn.reduce((sum, dots) => sum + dots, 0);
  assert.ok(total <= 3000 && total > 3000 - lanes, String(total));
  const crosses = [...text.matchAll(/<path class="cross" d="([^"]*)"/g)].map(([, d = ""]) => d.split("M").length - 1);
  const crossed = crosses.reduce((sum, each) => sum + each, 0);
  assert.ok(Math.abs(crossed / total - 0.5) < 0.05, `${crosses.join()} of ${total}`);
  const [, shown, from] = /(\d+) loads, chosen evenly from (\d+)/.exec(text) ?? [];
  assert.equal(Number(shown), total);
  assert.ok(Number(from) > 6000 && Number(from) <= loads.length, from);
});

test("dots of several pages are without the time that other programs took, and the gain is in per cent first", () => {
  const data = reportData(exampleFixture);
  const percents = (loads: typeof data.loads): { text: string; ofLane: Map<string, number[]> } => {
    const text = firstFigure({ ...data, loads }, [{}, {}] as GroupResult[])?.text ?? "";
    const [, ...rows] = csvOf(text).map((row) => row.split(","));
    const ofLane = Map.groupBy(rows, (row) => row[3] ?? "");
    return { text, ofLane: new Map([...ofLane].map(([lane, of]) => [lane, of.map((row) => Number(row.at(-1)))])) };
  };
  const calm = percents(data.loads);
  assert.match(calm.text, /class="mid"[^>]*>[\d.]+ %( \([\d.]+ m?s\))? (less|more)(: not certain)?</);
  assert.ok(!calm.text.includes("Without the time"));
  // h3 alone waited, as long in each load: half of that is taken off, and h2's median is the measure as before.
  const busy = percents(
    data.loads.map((load) =>
      load.lane === "h3" ? { ...load, disturbance_ms: 300, tolerated_ms: 5, disturbance_estimate_ms: waited_ms } : load,
    ),
  );
  assert.match(busy.text, /Without the time that other programs took/);
  assert.deepEqual(busy.ofLane.get("h2"), calm.ofLane.get("h2"));
  const [before, after] = [calm.ofLane.get("h3") ?? [], busy.ofLane.get("h3") ?? []];
  assert.ok(
    before.length > 0 && after.every((percent, index) => percent < (before[index] ?? 0)),
    `${after} / ${before}`,
  );
});
