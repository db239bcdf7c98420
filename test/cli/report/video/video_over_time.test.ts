// The figure of videos over time: a line and a lane of bars for each load, the link below on the same axis, and their data.
import assert from "node:assert/strict";
import { test } from "node:test";
import { randomSource } from "../../../../cli/base/random.ts";
import { videoOverTime } from "../../../../cli/report/video/video_over_time.ts";
import type { LoadFacts } from "../../../../schemas/generated/page_load.ts";
import type { VideoEvents } from "../../../../schemas/generated/video_events.ts";
import { buffer, record, segment, settings, state } from "../../load/metrics/video/video_events.ts";
import { pageLoadOf } from "../fixture.ts";
import { csvOf } from "../markup_text.ts";

function factsOf(video: VideoEvents | null, link = "4mbit/50ms"): LoadFacts {
  const of = { page: "video-8s-1000k-2000k", link, lane: "h2", plt_ms: 500, urls: ["https://clip.test/"] } as const;
  const facts = pageLoadOf({ ...of, status: "valid", reasons: [] }, randomSource(1, "video over time")).log._trilane;
  facts.navigation_start_ns = 1e12;
  if (facts.shaper?.timeline) {
    const nothing = Array<number>(1000).fill(0);
    const idle = { bytes_out: nothing, queue_peak_bytes: nothing, dropped_packets: nothing, lost_packets: nothing };
    // 2.5 kB in each 10 ms: 2 Mbit/s; 3 kB wait at 5 s.
    const bytes_out = nothing.map(() => 2500);
    const queue_peak_bytes = nothing.map((_, index) => (index === 500 ? 3000 : 0));
    facts.shaper.timeline = { start_ns: 1e12, bin_ns: 1e7, down: { ...idle, bytes_out, queue_peak_bytes }, up: idle };
  }
  return video ? { ...facts, video } : facts;
}

const played = record(
  state("start", 200),
  segment("v1/1", 300, 900),
  buffer(500, 0),
  state("playing", 1000),
  buffer(1500, 2),
  segment("v2/2", 900, 3900),
  state("waiting", 3000, 2),
  buffer(3500, 0),
  state("playing", 4000, 2),
  buffer(5100, 4),
  state("ended", 9900, 8),
);

const figureOf = (...loads: (readonly [string, LoadFacts])[]): string =>
  videoOverTime(
    "the clip",
    loads.map(([lane, facts], index) => ({ id: index + 1, lane, facts })),
  )?.text ?? "";

function rowsOf(text: string): string[] {
  const [head, ...rows] = csvOf(text);
  assert.match(
    head ?? "",
    /^lane,load_id,time_ms,media_s,buffered_video_s,buffered_audio_s,standing_still,.*,link_span_ms$/,
  );
  return rows;
}

test("a colour and a number for each lane, with its startup and stalls; the link's rate and queue below", () => {
  const text = figureOf(["h2", factsOf(played)], ["h3", factsOf(played)]);
  assert.match(text, />1 h2, startup 800 ms, 1 stall, 1000 ms</);
  assert.match(text, />2 h3, startup 800 ms, 1 stall, 1000 ms</);
  for (const row of ["buffer", "stalls", "representation", "link-rate", "queue"])
    assert.match(text, new RegExp(`data-row="${row}"`), row);
  assert.match(text, /dashed: it carries 4 Mbit\/s/);
  assert.match(text, /Queue, ms/);
  assert.equal(text.match(/class="flowbar"/g)?.length, 2);
});

test("one bitrate has no row of bitrates; a link that is not of one rate has its queue in bytes", () => {
  const [first] = settings.video;
  const fixed: VideoEvents = { ...played, settings: { ...settings, video: [first] } };
  const text = figureOf(["h2", factsOf(fixed, "unlimited/50ms")]);
  assert.doesNotMatch(text, /data-row="representation"/);
  assert.match(text, /Queue, kB/);
});

test("one that never played says so; loads without a video have no figure", () => {
  assert.match(figureOf(["h3", factsOf(record(state("start", 100), buffer(900, 0)))]), /h3, never played/);
  assert.equal(videoOverTime("a page", [{ id: 1, lane: "h2", facts: factsOf(null) }]), null);
});

test("the data are the samples of the buffer, with what the link did about then", () => {
  const rows = rowsOf(figureOf(["h2", factsOf(played)]));
  assert.deepEqual(rows, [
    "h2,1,500,0,0,0,true,0,2000000,0,500",
    "h2,1,1500,0,2,2,false,0,2000000,0,500",
    "h2,1,3500,0,0,0,true,0,2000000,0,500",
    "h2,1,5100,0,4,4,false,0,2000000,3000,500",
  ]);
});

/** As the shaper keeps a load of so many seconds: 256 bins at most, whose length is 10 ms doubled. */
function longFacts(clip_s: number): LoadFacts {
  let bin_ms = 10;
  while (clip_s * 1000 > 256 * bin_ms) bin_ms *= 2;
  const samples = Array.from({ length: clip_s }, (_, second) => buffer(1000 * second + 430, 2));
  const facts = factsOf(
    record(state("start", 10), state("playing", 400), ...samples, state("ended", clip_s * 1000, 8)),
  );
  const { timeline } = facts.shaper ?? assert.fail();
  assert.ok(timeline);
  const bytes_out = Array<number>(256).fill(bin_ms * 250);
  Object.assign(timeline, { bin_ns: bin_ms * 1e6, down: { ...timeline.down, bytes_out } });
  return facts;
}

test("of a long clip the link is told over whole bins of the shaper's, and each sample has its values", () => {
  for (const [clip_s, words, length] of [
    [10, "520 ms", 520],
    [40, "480 ms", 480],
    [80, "640 ms", 640],
    [600, "2560 ms", 2560],
  ] as const) {
    const text = figureOf(["h2", longFacts(clip_s)]);
    assert.ok(text.includes(`>most in ${words}<`), `${clip_s} s`);
    assert.ok(text.includes(`reached the browser, over ${words};`), `${clip_s} s`);
    const rows = rowsOf(text);
    assert.equal(rows.length, clip_s);
    // The last bins of a load may be fewer.
    for (const row of rows.slice(0, -1)) assert.match(row, new RegExp(`,2000000,0,${length}$`), `${clip_s} s`);
    assert.match(rows.at(-1) ?? "", /,2000000,0,\d+$/);
  }
});

const limitsIn = (text: string): (string | undefined)[] => {
  const [row = ""] = /<g class="link-rate"[\s\S]*?<g class="queue"/.exec(text) ?? [];
  return [...row.matchAll(/<g class="([^"]+)">(?=<path class="capacity")|<path class="capacity"/g)].map(
    ([, lane]) => lane,
  );
};

test("what the link carries is one dashed line, or each lane's own where they differ; of a trace its mean", () => {
  const steps = "rate=4mbit:1mbit@3s,rtt=50ms";
  assert.deepEqual(limitsIn(figureOf(["h2", factsOf(played)], ["h3", factsOf(played)])), [undefined]);
  const [first, second] = [factsOf(played, steps), factsOf(played, steps)];
  const { shaper } = second;
  assert.ok(shaper);
  const same = figureOf(["h2", first], ["h3", factsOf(played, steps)]);
  assert.deepEqual(limitsIn(same), [undefined]);
  assert.match(same, /dashed: what it carries/);
  // The link of the one began later before its navigation.
  second.shaper = { ...shaper, start_ns: shaper.start_ns + 3e8 };
  const apart = limitsIn(figureOf(["h2", first], ["h3", second])).filter((lane) => lane !== undefined);
  assert.equal(apart.length, 2);
  assert.equal(new Set(apart).size, 2);
  const traced = factsOf(played);
  assert.ok(traced.shaper);
  const trace = { file: "a.trace", sha256: "0".repeat(64) };
  traced.shaper.link = { ...traced.shaper.link, down: { ...traced.shaper.link.down, trace } };
  const text = figureOf(["h2", traced]);
  assert.deepEqual(limitsIn(text), [undefined]);
  assert.match(text, /dashed: mean of the trace/);
  assert.match(text, /Queue, kB/);
});
