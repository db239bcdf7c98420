// cli/registry: one text of a value in its unit, wherever it stands, and one list of all that is measured.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fetchMetricNames, metricOf, missingReason } from "../../../cli/instruments/fetch/metrics/fetch_metrics.ts";
import { quantities } from "../../../cli/instruments/fetch/metrics/quantities.ts";
import { metricHelp } from "../../../cli/registry/metric_help.ts";
import { type Metric, metrics, type Subject } from "../../../cli/registry/metrics.ts";
import { axisUnits, columnText, formatRange, formatValue, type Unit } from "../../../cli/registry/units.ts";
import { fetchedOf } from "../instruments/fetch/answer/fetched.ts";

const all = Object.entries(metrics).flatMap(([subject, rows]) =>
  Object.entries<Metric>(rows).map(([name, row]) => ({ subject: subject as Subject, name, row })),
);

test("a value has the same digits in a sentence and in a column", () => {
  for (const [value, unit, sentence, column] of [
    [3_100_000, "bit/s", "3.1 Mbit/s", "3.1"],
    [310_000, "bit/s", "310 kbit/s", "0.31"],
    [2_345_678_901, "bit/s", "2.35 Gbit/s", "2350"],
    [0, "bit/s", "0 Mbit/s", "0"],
    [52.44, "ms", "52.4 ms", "52.4"],
    [1234, "ms", "1230 ms", "1230"],
    [12_345, "ms", "12.3 s", "12.3s"],
    [30_000, "bytes", "30 kB", "30"],
    [0.98234, "ratio", "0.982", "0.982"],
    [3_120_000, "times", "3.12 million", "3120000"],
    [1, "moves", "1 move", "1"],
  ] as const satisfies readonly (readonly [number, Unit, string, string])[]) {
    assert.equal(formatValue(value, unit), sentence);
    assert.equal(columnText(value, unit), column, sentence);
  }
});

test("a range names its unit once, and is empty where its ends read alike", () => {
  assert.equal(formatRange({ low: 2_950_000, high: 3_220_000 }, "bit/s"), "2.95 to 3.22 Mbit/s");
  assert.equal(formatRange({ low: 990_000, high: 1_010_000 }, "bit/s"), "990 kbit/s to 1.01 Mbit/s");
  assert.equal(formatRange({ low: 718, high: 743 }, "ms"), "718 to 743 ms");
  assert.equal(formatRange({ low: 0.98201, high: 0.98202 }, "ratio"), "");
});

test("every metric has a title, a meaning and a unit of the list; only scores have none", () => {
  assert.ok(all.length > 90, String(all.length));
  for (const { subject, name, row } of all) {
    assert.ok(row.title !== "" && row.meaning !== "", `${subject} ${name}`);
    if (row.unit === null) assert.match(name, /^(?!.*_(?:ms|bps|bytes|us)$)/, name);
    else assert.ok(row.unit in axisUnits, `${name}: ${row.unit}`);
    const suffix = /_(ms|us|bps|bytes)$/.exec(name)?.[1];
    const unit = suffix === "bps" ? "bit/s" : suffix;
    if (suffix !== undefined) assert.equal(row.unit, unit, `${subject} ${name}`);
  }
});

test("help has each metric of its subjects within 80 columns", () => {
  const lines = metricHelp("All:", { page: "Of pages", fetch: "" }).split("\n");
  for (const { subject, name } of all)
    assert.equal(
      lines.some((line) => line.split(" (")[0] === `  ${name}`),
      subject === "page" || subject === "fetch" || name in metrics.page || name in metrics.fetch,
      name,
    );
  for (const line of lines) assert.ok(line.length <= 80, line);
});

test("throughput is computed once: the export's is the report's, and an empty body has none", () => {
  assert.ok(fetchMetricNames.includes("throughput_bps"));
  const full = fetchedOf({ record: { body_bytes: 1000, download_ms: 10 } });
  assert.equal(metricOf(full.record, "throughput_bps"), 800_000);
  assert.equal(quantities.throughput_bps.value(full), 800_000);
  const empty = fetchedOf({ record: { body_bytes: 0, download_ms: 10 } });
  assert.equal(metricOf(empty.record, "throughput_bps"), null);
  assert.equal(quantities.throughput_bps.value(empty), null);
  assert.equal(missingReason(empty.record, "throughput_bps"), "an empty body has none");
});
