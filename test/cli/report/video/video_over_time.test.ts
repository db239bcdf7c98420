// The figure of videos over time: a line and a lane of bars for each load, the link below on the same axis, and their data.
import assert from "node:assert/strict";
import { test } from "node:test";
import { inflateRawSync } from "node:zlib";
import { randomSource } from "../../../../cli/base/random.ts";
import { videoOverTime } from "../../../../cli/report/video/video_over_time.ts";
import type { LoadFacts } from "../../../../schemas/generated/page_load.ts";
import type { VideoEvents } from "../../../../schemas/generated/video_events.ts";
import { buffer, record, segment, settings, state } from "../../load/metrics/video/video_events.ts";
import { pageLoadOf } from "../fixture.ts";

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

test("a colour and a number for each lane, with its startup and stalls; the link's rate and queue below", () => {
  const text = figureOf(["h2", factsOf(played)], ["h3", factsOf(played)]);
  assert.match(text, />1 h2, startup 800 ms, 1 stall, 1000 ms</);
  assert.match(text, />2 h3, startup 800 ms, 1 stall, 1000 ms</);
  for (const row of ["buffer", "stalls", "representation", "link-rate", "queue"])
    assert.match(text, new RegExp(`data-row="${row}"`), row);
  assert.match(text, /dashed: it carries 4\.00 Mbit\/s/);
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
  const packed = /data-csv="([^"]+)"/.exec(figureOf(["h2", factsOf(played)]))?.[1] ?? "";
  const [head, ...rows] = inflateRawSync(Buffer.from(packed, "base64")).toString().trim().split("\r\n");
  assert.match(head ?? "", /^lane,load_id,time_ms,media_s,buffered_video_s,buffered_audio_s,standing_still,/);
  assert.deepEqual(rows, [
    "h2,1,500,0,0,0,true,0,2000000,0",
    "h2,1,1500,0,2,2,false,0,2000000,0",
    "h2,1,3500,0,0,0,true,0,2000000,0",
    "h2,1,5100,0,4,4,false,0,2000000,3000",
  ]);
});
