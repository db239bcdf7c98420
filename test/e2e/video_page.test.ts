// Video pages in the lab's browser: clips play to their end on each lane, representations are pinned or chosen, what was recorded is
// what was served, and the frames that are shown bear the numbers that the record claims.
// Wide: cli/load/video_step.ts, cli/recording/synth/video, native-host/replay, shaper.
// Beside others: nothing here depends on how busy the machine is.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { promisify } from "node:util";
import jpeg from "jpeg-js";
import type { WatchedPage } from "../../cli/browser/page.ts";
import type { ScreencastFrame } from "../../cli/browser/screencast.ts";
import { notInstalled } from "../../cli/install/requirements.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { ensureSynth } from "../../cli/recording/synth/synthetic.ts";
import { ClipStore } from "../../cli/recording/synth/video/clip_store.ts";
import { shownAs, videoPage, videoUrl } from "../../cli/recording/synth/video/video_page.ts";
import { videoSpec } from "../../cli/recording/synth/video/video_spec.ts";
import type { VideoEvents } from "../../schemas/generated/video_events.ts";
import { readPattern } from "../cli/recording/synth/video/read_pattern.ts";
import { schemaErrors } from "../schemas/schema_errors.ts";
import { tempFolder } from "../temp_folder.ts";
import { play } from "./video_lab.ts";

const skip = notInstalled(["ffmpeg"]) ?? false;
const home = tempFolder("trilane-video-");

const fixed = "video-4s-by-1s-400k-1500k-fixed-1500k";
const adaptive = "video-8s-by-1s-200k-1500k";
before(async () => {
  if (skip) return;
  await withArchive(home, async (archive) => {
    await ensureSynth(archive, fixed);
    await ensureSynth(archive, adaptive);
  });
});

type Events = VideoEvents["events"];
type Kind = Events[number]["kind"];
const of = <K extends Kind>(events: Events, kind: K) =>
  events.filter((event): event is Extract<Events[number], { kind: K }> => event.kind === kind);

/** What each record must be, whatever the link. */
function checkRecord({ settings, events }: VideoEvents, protocol: string): void {
  const kinds = events.map(({ kind }) => kind);
  assert.equal(kinds.at(-1), "ended", JSON.stringify(events.at(-1)));
  assert.equal(schemaErrors("video-events", { schema: "trilane/video-events/1", settings, events }), null);
  assert.equal(kinds.filter((kind) => kind === "start").length, 1);
  const sizes = new Map([...settings.video, ...settings.audio].map(({ id, segment_bytes }) => [id, segment_bytes]));
  const segments = of(events, "segment").filter(({ number }) => number > 0);
  for (const segment of of(events, "segment")) {
    assert.equal(segment.protocol, protocol);
    assert.equal(segment.status, 200);
    assert.ok(segment.first_byte_ms !== null && segment.start_ms <= segment.first_byte_ms);
    assert.ok(segment.first_byte_ms <= segment.end_ms);
  }
  for (const { representation, bytes } of segments) assert.equal(bytes, sizes.get(representation));
  for (const stream of ["video", "audio"] as const) {
    const ours = segments.filter((segment) => segment.stream === stream);
    const numbers = new Set(ours.map(({ number }) => number));
    assert.equal(numbers.size, settings.clip_s / settings.segment_s);
    // The first request to a server is the one that connects.
    const [first] = of(events, "segment").filter((segment) => segment.stream === stream);
    assert.ok(first?.connect_start_ms != null && first.connect_end_ms != null, `${stream}: no connection was made`);
  }
}

interface Grab {
  readonly media_s: number;
  readonly row: readonly number[];
}

/** The row of cells of frames that are shown, and their times, in a world that shares no object with the page. */
const grab = (page: WatchedPage): Promise<Grab[]> =>
  page.evaluate(`new Promise((resolve) => {
    const video = document.querySelector("video");
    const canvas = new OffscreenCanvas(480, 30);
    const context = canvas.getContext("2d", { willReadFrequently: true });
    const grabs = [];
    const take = () => {
      // Not the element itself: it may show the next one by now.
      const frame = new VideoFrame(video);
      if (frame.timestamp >= grabs.length * 700_000) {
        context.drawImage(frame, 0, 0, frame.displayWidth, frame.displayHeight / 8, 0, 0, 480, 30);
        grabs.push({ media_s: frame.timestamp / 1e6, row: [...context.getImageData(0, 0, 480, 30).data] });
      }
      frame.close();
      if (grabs.length === 5) resolve(grabs);
      else video.requestVideoFrameCallback(take);
    };
    video.requestVideoFrameCallback(take);
  })`) as Promise<Grab[]>;

for (const [lane, protocol] of [
  ["h1", "http/1.1"],
  ["h2", "h2"],
  ["h3", "h3"],
] as const)
  test(`${lane}: a pinned representation plays to its end, and 5 frames bear the numbers of the record`, {
    skip,
  }, async () => {
    const playing = { home, recording: fixed, lane, link: "20mbit/20ms" };
    const { record, asked } = await play(playing, grab);
    checkRecord(record, protocol);
    const { events, settings } = record;
    assert.deepEqual(settings.fixed, { video: "v2", audio: "a1" });
    const videos = of(events, "segment").filter(({ stream }) => stream === "video");
    assert.deepEqual([...new Set(videos.map(({ representation }) => representation))], ["v2"]);
    assert.deepEqual(
      of(events, "quality")
        .map(({ stream, state, representation }) => `${stream} ${state} ${representation}`)
        .sort(),
      ["audio rendered a1", "audio requested a1", "video rendered v2", "video requested v2"],
    );
    assert.equal(asked.length, 5);
    for (const { number, media_s } of of(events, "frame")) assert.equal(number, Math.round(media_s * 25));
    for (const { media_s, row } of asked) {
      const picture = { data: Uint8Array.from(row), width: 480, height: 30, channels: 4 } as const;
      const read = readPattern(picture, { left: 0, top: 0, width: 480, height: 240 });
      assert.equal(read, Math.round(media_s * 25), `at ${media_s} s`);
    }
  });

test("a film of the page shows the frames of the record at 5 instants", { skip }, async () => {
  const { record, asked } = await play({ home, recording: fixed, lane: "h2", link: "20mbit/20ms" }, async (page) => {
    const film = await page.film();
    await page.evaluate(`new Promise((resolve) => document.addEventListener("trilane-video-closed", resolve))`);
    const facts = await page.evaluate("({ origin_ms: performance.timeOrigin, width: innerWidth })");
    return { frames: await film.stop(), ...(facts as { origin_ms: number; width: number }) };
  });
  const shown = of(record.events, "frame");
  const readings = asked.frames.flatMap((frame: ScreencastFrame) => {
    const { data, width, height } = jpeg.decode(frame.jpeg, { useTArray: true });
    const scale = width / asked.width;
    const area = { left: 0, top: 0, width: shownAs.width * scale, height: shownAs.height * scale };
    const number = readPattern({ data, width, height, channels: 4 }, area);
    return number === null || frame.at_ms === Number.NEGATIVE_INFINITY
      ? []
      : [{ number, t_ms: frame.at_ms - asked.origin_ms }];
  });
  const instants = [0, 1, 2, 3, 4].map((each) => readings[Math.floor((each * (readings.length - 1)) / 4)]);
  for (const instant of instants) {
    assert.ok(instant, `${readings.length} frames of ${asked.frames.length} were read`);
    // The record has the frame, and the film has it when the record says, to a few screens' refreshes.
    const claimed = shown.find(({ number }) => number === instant.number);
    assert.ok(claimed, `frame ${instant.number} is not in the record`);
    const late_ms = instant.t_ms - claimed.t_ms;
    assert.ok(late_ms > -100 && late_ms < 500, `frame ${instant.number}: ${late_ms} ms`);
  }
  assert.ok(new Set(instants.map((each) => each?.number)).size === 5);
});

test("dash.js adapts: it begins low, and asks for more where the link has more", { skip }, async () => {
  const { record } = await play({ home, recording: adaptive, lane: "h3", link: "20mbit/20ms" }, async () => null);
  checkRecord(record, "h3");
  assert.equal(record.settings.fixed, null);
  const requested = of(record.events, "quality").filter(
    ({ stream, state }) => stream === "video" && state === "requested",
  );
  assert.ok(
    requested.some(({ representation }) => representation === "v2"),
    JSON.stringify(requested),
  );
});

test("a link below the bitrate stalls: nothing is played that has not come", { skip }, async () => {
  const { record } = await play({ home, recording: fixed, lane: "h2", link: "1mbit/20ms" }, async () => null);
  checkRecord(record, "h2");
  const { events } = record;
  const first = events.findIndex(({ kind }) => kind === "playing");
  assert.ok(events.slice(first).some(({ kind }) => kind === "waiting"));
  const began_ms = events.find(({ kind }) => kind === "start")?.t_ms ?? Number.NaN;
  const ended_ms = events.at(-1)?.t_ms ?? Number.NaN;
  // 4 s of 1596 kbit/s over 1 Mbit/s take 6.4 s, and the last segment is played after it has come.
  assert.ok(ended_ms - began_ms > 7384, `${ended_ms - began_ms} ms`);
});

test("where the server has no pictures the record closes with an error that names a segment", { skip }, async () => {
  const page = await videoPage(videoSpec(fixed), new ClipStore(home));
  const about = { name: "no-pictures", url: videoUrl, source: "test", notes: {}, replace: false };
  await withArchive(home, (archive) =>
    archive.write(about, async (writer) => {
      // All of them: a server that has other numbers answers with one of these.
      for (const each of page.exchanges()) if (!/^\/v\d\/\d+\.m4s$/.test(each.exchange.path)) await writer.add(each);
    }),
  );
  const playing = { home, recording: about.name, lane: "h2", link: "20mbit/20ms" } as const;
  const { record } = await play(playing, async () => null);
  assert.equal(schemaErrors("video-events", record), null);
  const last = record.events.at(-1);
  assert.ok(last?.kind === "error" && /v2\/1\.m4s is not available/.test(last.message), JSON.stringify(last));
  const missed = of(record.events, "segment").filter(({ number, stream }) => number > 0 && stream === "video");
  assert.ok(missed.length > 0 && missed.every(({ status }) => status === 404), JSON.stringify(missed));
});

test("where sound needs a gesture the video plays without it", { skip }, async () => {
  const playing = { home, recording: fixed, lane: "h2", link: "20mbit/20ms", browserArguments: [] } as const;
  const { record } = await play(playing, async () => null);
  checkRecord(record, "h2");
});

test("clips are encoded once, and their files are what another reader of MP4 takes them for", { skip }, async () => {
  const stored = await withArchive(home, (archive) => archive.list());
  const again = await withArchive(home, (archive) => ensureSynth(archive, fixed));
  assert.deepEqual(
    again,
    stored.find(({ name }) => name === fixed),
  );
  const folder = join(home, "clips");
  const files = readdirSync(folder).filter((name) => name.endsWith(".mp4"));
  // 1500k and 400k have different sizes, both lengths of clips have their own.
  assert.equal(files.filter((name) => name.startsWith("pictures-")).length, 4);
  assert.equal(files.filter((name) => name.startsWith("sound-")).length, 2);
  const run = promisify(execFile);
  for (const name of files) {
    const words = [
      "-v",
      "error",
      "-count_packets",
      "-show_entries",
      "stream=nb_read_packets,duration,codec_name,width",
    ];
    const printed = await run("ffprobe", [...words, "-of", "json", join(folder, name)]);
    const [stream] = (
      JSON.parse(printed.stdout) as { streams: { nb_read_packets: string; codec_name: string; width?: number }[] }
    ).streams;
    const [, clip_s] = /-(\d+)s-by/.exec(name) ?? [];
    const isVideo = name.startsWith("pictures-");
    assert.equal(Number(stream?.nb_read_packets), Number(clip_s) * (isVideo ? 25 : 50));
    assert.equal(stream?.codec_name, isVideo ? "h264" : "opus");
    assert.equal(printed.stderr, "");
  }
});
