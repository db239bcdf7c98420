// Rates to opportunities and back, and every format that is read.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { detectFormat, type SourceFormat, spansIn } from "../../../../cli/link/trace/formats.ts";
import { opportunitiesOf, type RateSpan, spansOf } from "../../../../cli/link/trace/spans.ts";
import { tempFolder } from "../../../temp_folder.ts";
import { refusedIn } from "../../refused.ts";

let folder: string;
before(() => {
  folder = tempFolder("trilane-convert-");
});

function fileOf(text: string): string {
  const path = join(folder, "source");
  writeFileSync(path, text);
  return path;
}

function read(text: string, columns?: string, from?: SourceFormat): { format: string; spans: RateSpan[] } {
  const path = fileOf(text);
  const format = from ?? detectFormat(path);
  assert.ok(format !== "mahimahi");
  return { format, spans: [...spansIn(path, format, columns)] };
}

const span = (start_ms: number, end_ms: number, rate_bps: number): RateSpan => ({ start_ms, end_ms, rate_bps });

test("a rate's opportunities come when a packet's bits could have been sent", () => {
  assert.deepEqual([...opportunitiesOf([span(0, 10, 12e6)])], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  // 1.5 packets a ms; the bits that are over in one span are the next one's.
  assert.deepEqual([...opportunitiesOf([span(0, 1, 18e6), span(1, 2, 6e6)])], [1, 2]);
  assert.deepEqual([...opportunitiesOf([span(0, 100, 0), span(100, 102, 12e6)])], [101, 102]);
  // Silence at the end: the last opportunity marks where the trace begins again.
  assert.deepEqual([...opportunitiesOf([span(0, 3, 12e6), span(3, 50, 0)])], [1, 2, 50]);
  assert.throws(() => [...opportunitiesOf([span(0, 10, 1)])], /less than one packet/);
  assert.throws(() => [...opportunitiesOf([])], /less than one packet/);
});

test("opportunities, rates, opportunities: the same number, none moved beyond its window", () => {
  const times = Uint32Array.from({ length: 5000 }, (_, index) => Math.ceil((index + 1) ** 1.2 / 2));
  const again = [...opportunitiesOf(spansOf(times, 50))];
  assert.equal(again.length, times.length);
  assert.equal(again.at(-1), times.at(-1));
  for (const [index, time_ms] of again.entries()) assert.ok(Math.abs(time_ms - (times[index] as number)) <= 50);
});

test("a long time at a rate that no packet divides loses nothing", () => {
  const spans = function* () {
    for (let second = 0; second < 36_000; second++) yield span(second * 1000, second * 1000 + 1000, 1_234_567);
  };
  const times = [...opportunitiesOf(spans())];
  assert.equal(times.length, Math.round((1_234_567 * 36_000) / 12_000));
});

test("CSV: header, units, separators, comments, time stamps that begin anywhere", () => {
  const expected = [span(0, 1000, 8e6), span(1000, 2000, 2e6)];
  for (const text of [
    "time_s,rate_mbps\n0,8\n1,2\n",
    "time_ms;throughput_kbps\r\n0;8000\r\n1000;2000\r\n",
    'Time (s),"Bandwidth (Mbit/s)"\n100.5,8\n101.5,2',
    "# from a drive\nsignal\ttimestamp [ms]\trate_bps\n-90\t1700000000000\t8000000\n-80\t1700000001000\t2000000\n",
  ])
    assert.deepEqual(read(text), { format: "csv", spans: expected }, text);
  assert.deepEqual(read("0,-90,8\n1,-90,2\n", "time_s,signal,rate_mbps").spans, expected);
});

test("Pensieve's two columns, logs of bytes, iperf3's document", () => {
  assert.deepEqual(read("0.0 9.9\n0.5 1.5\n2 3\n"), {
    format: "pensieve",
    spans: [span(0, 500, 1.5e6), span(500, 2000, 3e6)],
  });
  assert.deepEqual(read("1289406400 549 59.85 10.78 125000 1000\n1289406401 1549 59.85 10.78 250000 500\n"), {
    format: "bytes-log",
    spans: [span(0, 1000, 1e6), span(1000, 1500, 4e6)],
  });
  const intervals = [
    { sum: { start: 0, end: 1, seconds: 1, bits_per_second: 5e6 } },
    { sum: { start: 1, end: 2.5, seconds: 1.5, bits_per_second: 6e6 } },
  ];
  assert.deepEqual(read(JSON.stringify({ start: {}, intervals })), {
    format: "iperf3",
    spans: [span(0, 1000, 5e6), span(1000, 2500, 6e6)],
  });
  assert.equal(detectFormat(fileOf("12\n13\n")), "mahimahi");
});

test("what cannot be read is refused by file and line", () => {
  const source = () => join(folder, "source");
  for (const [text, problem] of [
    ["time_s,rate_mbps\n0,8\n1,fast\n", /:3: "fast" is no rate/],
    ["time_s,rate_mbps\n0,8\n1,-2\n", /:3: the rate "-2" is below 0/],
    ["time_s,rate_mbps\n0,8\n1\n", /:3: "1" has 1 columns: the rate is in column 2/],
    ["time_s,rate_mbps\n0,8\n0,2\n", /:3: its time is not later/],
    ["time_s,rate_mbps\n0,8\n", /one time only/],
    ["time_s,rate_mbps\n", /no line with a time and a rate/],
    ["time,rate_mbps\n0,8\n", /:1: column "time" has no unit/],
    ["when,rate_mbps\n0,8\n", /:1: no column of times/],
    ["0,1,2\n", /:1: no column of times/],
    ["0.5 1\n0.5 1\n", /:2: its time is not later/],
    ["1 2 3 4 5 6\n1 2 3 4 x 6\n", /:2: "x" is no number of bytes/],
    ["{", /not JSON/],
    ["{}", /has no "intervals"/],
    ['{"intervals": [{"sum": {"seconds": 0}}]}', /intervals\[0\]/],
    ["", /holds no line/],
    ["2.5\n", /:1: .*begins no format/],
  ] as const)
    assert.throws(() => read(text), refusedIn(problem, source()), text);
  assert.throws(() => read("0,1\n1,2\n", "time_s"), /--columns: no column of rates/);
});
