// Videos in real labs and Chromium: what only a browser shows of them. That a load ends with its video, that its metrics, report and
// exports are there, and that what cannot be played is left out with its reason.
// Wide: cli/load, cli/recording/synth.
// Beside others: all but tests of time.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { brotliDecompressSync } from "node:zlib";
import { schemaValidator } from "../../cli/base/schema_error.ts";
import { notInstalled } from "../../cli/install/requirements.ts";
import { parseLink } from "../../cli/link/link.ts";
import type { Lane, PageLoad } from "../../cli/load/load.ts";
import { playbackOf } from "../../cli/load/metrics/video/playback.ts";
import { videoMetricsOf } from "../../cli/load/metrics/video/video_metrics.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { type Edits, editRecording } from "../../cli/recording/edit/edit.ts";
import { ensureSynth } from "../../cli/recording/synth/synthetic.ts";
import type { P1203Export } from "../../schemas/generated/p1203.ts";
import { type Calm, timedTest } from "../calm_machine.ts";
import { tempFolder } from "../temp_folder.ts";
import { anyDisturbance, untimedLoad } from "./untimed_load.ts";

const trilane = join(import.meta.dirname, "..", "..", "cli", "trilane");
const skip = notInstalled(["ffmpeg"]) ?? false;
const home = tempFolder("trilane-video-");
const clip = "video-4s-by-1s-500k";
const clip_s = 4;

function run(...words: string[]): Promise<{ readonly out: string; readonly err: string; readonly status: number }> {
  return new Promise((resolve) => {
    execFile(trilane, [...words, "--home", home], { maxBuffer: 1e8 }, (error, out, err) => {
      resolve({ out, err, status: typeof error?.code === "number" ? error.code : error ? 1 : 0 });
    });
  });
}

/** The clip's recording with something taken from it. */
async function edited(as: string, edits: Partial<Edits>) {
  return await withArchive(home, async (archive) => {
    const { name } = await ensureSynth(archive, clip);
    const change = { removeHosts: [], removeUrls: [], replaceBodies: [], startUrl: undefined, ...edits };
    return (await editRecording(archive, { name, as, replace: true }, change)).recording;
  });
}

async function load(
  recording: { readonly name: string; readonly digest: string; readonly url: string },
  over: { readonly lane?: Lane; readonly link?: string; readonly timeout_ms?: number } = {},
): Promise<PageLoad["log"]["_trilane"]> {
  const { name, digest, url } = recording;
  const { lane = "h3", link = "10mbit/20ms", timeout_ms = 30_000 } = over;
  const asked = { home, lane, link: parseLink(link), timeout_ms, strict: true };
  return (await untimedLoad({ ...asked, recording: { name, digest, url, video_s: clip_s } })).log._trilane;
}

test("a load ends with its video on each lane, and the page's record of it is whole", { skip }, async () => {
  const recording = await withArchive(home, (archive) => ensureSynth(archive, clip));
  const isRecord = schemaValidator("video-events");
  for (const lane of ["h1", "h2", "h3"] as const) {
    const { status, reasons, video, metrics, counts } = await load(recording, { lane });
    assert.deepEqual([status, reasons], ["valid", []], lane);
    assert.ok(video && isRecord(video), `${lane}: ${JSON.stringify(isRecord.errors?.[0])}`);
    const { began_ms, ended_ms } = playbackOf(video.events);
    assert.ok(began_ms !== null && ended_ms !== null);
    assert.ok(ended_ms - began_ms >= clip_s * 1000 - 100, `${lane}: ${ended_ms - began_ms} ms of ${clip_s} s`);
    assert.ok((metrics.plt_ms ?? 0) < ended_ms, `${lane}: the load event is not its end`);
    assert.equal(counts.missed, 0);
    const told = videoMetricsOf(video);
    for (const [name, value] of Object.entries(told)) assert.notEqual(value, null, `${lane}: ${name}`);
    assert.equal(told.rate_played_bps, 500_000);
    assert.equal(told.rate_switches, 0);
    // A round trip, or two with TLS over TCP.
    assert.ok((told.video_connect_ms ?? 0) >= (lane === "h3" ? 19 : 39), `${lane}: ${told.video_connect_ms} ms`);
  }
});

async function stallsAccount(calm: Calm): Promise<void> {
  const recording = await withArchive(home, (archive) => ensureSynth(archive, clip));
  const { status, reasons, video } = await load(recording, { lane: "h2", link: "400kbit/20ms,queue=200ms" });
  assert.deepEqual([status, reasons], ["valid", []]);
  assert.ok(video);
  const { start_ms, ended_ms } = playbackOf(video.events);
  const { stalls, stall_ms, startup_delay_ms } = videoMetricsOf(video);
  assert.ok((stalls ?? 0) >= 1, `${stalls} stalls`);
  // 596 kbit/s of media over 400: half of the clip's length, and more for headers.
  const waited_ms = (stall_ms ?? 0) + (startup_delay_ms ?? 0);
  assert.ok(waited_ms > 1900, `${waited_ms} ms`);
  const byClock_ms = (ended_ms ?? 0) - start_ms - clip_s * 1000;
  calm.disturbed("a browser that waits for CPUs shows pictures late, which is no stall");
  assert.ok(
    Math.abs(waited_ms - byClock_ms) < 0.1 * byClock_ms + 100,
    `${waited_ms} ms, by the clock ${byClock_ms} ms`,
  );
}

const stalling =
  "a bitrate that the link cannot carry stalls, and startup and stalls are all that it took beyond the clip";
if (skip) test(stalling, { skip }, () => {});
else timedTest(stalling, stallsAccount);

test("a manifest that lacks a segment, and a codec that no browser has: one reason each", { skip }, async () => {
  const lacking = await load(await edited("lacking", { removeUrls: ["*/v1/3.m4s"] }));
  assert.equal(lacking.status, "invalid");
  assert.equal(lacking.reasons.length, 1);
  // The replay answers with the segment whose name is most alike.
  assert.match(lacking.reasons[0] ?? "", /^1 of \d+ requests were answered as another one: .*\/v1\/3\.m4s/);
  const manifest = await withArchive(home, async (archive) => {
    const { exchanges } = await archive.verify(clip);
    const found = exchanges.find(({ path }) => path.endsWith(".mpd"));
    assert.ok(found);
    const pieces: Buffer[] = [];
    for await (const piece of archive.body(found.body_sha256 ?? "")) pieces.push(piece);
    const body = Buffer.concat(pieces);
    const isPacked = found.response_headers.some(([name, value]) => name === "content-encoding" && value === "br");
    return (isPacked ? brotliDecompressSync(body) : body).toString("utf8");
  });
  const path = join(home, "strange.mpd");
  writeFileSync(path, manifest.replace(/codecs="(avc1|vp0|av01)[^"]*"/g, 'codecs="xyz1.00"'));
  const strange = await load(await edited("strange", { replaceBodies: [{ url: "*.mpd", file: path }] }));
  assert.equal(strange.status, "failed");
  assert.equal(strange.reasons.length, 1);
  // dash.js plays what it can: the sound.
  assert.match(strange.reasons[0] ?? "", /^the video was played without its pictures: the browser has no codec .+/);
});

test("a video that does not end in time says so, and whether it began", { skip }, async () => {
  const recording = await withArchive(home, (archive) => ensureSynth(archive, clip));
  const page = await load(recording, { link: "20kbit/20ms,queue=2s", timeout_ms: 4000 });
  assert.equal(page.status, "failed");
  assert.deepEqual(page.reasons, ["the video did not end within 8000 ms: its page did not load"]);
  const never = await load(recording, { link: "150kbit/20ms,queue=2s", timeout_ms: 9000 });
  assert.deepEqual(never.reasons, ["the video did not end within 13000 ms: it never began to play"]);
  const first = await load(recording, { lane: "h3-0rtt", link: "150kbit/20ms,queue=2s", timeout_ms: 5000 });
  assert.deepEqual(first.reasons, ["the video of the first visit did not begin to play within 9000 ms"]);
  assert.equal(first.video, undefined, "it is of no measured load");
  const late = await load(recording, { link: "600kbit/20ms,queue=1s", timeout_ms: 3000 });
  assert.deepEqual(late.reasons, ["the video did not end within 7000 ms"]);
  assert.ok(late.video && playbackOf(late.video.events).began_ms !== null, "what it had recorded is kept");
});

test("trilane video: a sweep with its table, report, CSV and P.1203 input; the same again goes on with nothing", {
  skip,
}, async () => {
  const words = ["video", clip, "--link", "5mbit/20ms", "--lanes", "h2,h3", "--runs", "1", ...anyDisturbance];
  const { out, err, status } = await run(...words);
  assert.equal(status, 0, err);
  assert.match(out, /startup/i);
  const [, report = ""] = /report: (.+\.html)/.exec(out) ?? [];
  const page = readFileSync(report, "utf8");
  for (const text of ["Buffered pictures, s", "startup delay", "Not playing"]) assert.ok(page.includes(text), text);
  const { out: csv } = await run("export", "--format", "csv");
  const [head = "", ...rows] = csv.trim().split("\r\n");
  const place = head.split(",").indexOf("startup_delay_ms");
  for (const row of rows) assert.ok(Number(row.split(",")[place]) > 0, row);
  const p1203 = JSON.parse((await run("export", "--format", "p1203")).out) as P1203Export;
  const isInput = schemaValidator<P1203Export>("p1203");
  assert.ok(isInput(p1203), JSON.stringify(isInput.errors));
  assert.deepEqual(
    p1203.loads.map(({ input }) => input.I13.segments.length),
    [4, 4],
  );
  // The models know no Opus.
  for (const { input, unsupported } of p1203.loads) {
    assert.deepEqual(input.I11.segments, []);
    assert.ok(unsupported.includes("opus"), unsupported.join());
  }
  const race = await run("export", "--format", "p1203", "--load", "999");
  assert.equal(race.status, 2);
});

test("trilane video RECORDING: a recording of a video is planned as one, whatever it is called", { skip }, async () => {
  for (const name of ["lean", "video-lossy"]) {
    await edited(name, { removeUrls: ["*/v1/4.m4s"] });
    const { out, err, status } = await run("video", name, "--runs", "1", "--dry-run");
    assert.equal(status, 0, err);
    assert.match(out, new RegExp(`^1 page +${name}$`, "m"));
  }
  const filmed = await run("race", "lean", "--films", "1", "--runs", "1");
  assert.match(filmed.err, /lean is too long to be filmed: take it or films out\n$/);
});

const wrong: [readonly string[], RegExp][] = [
  [["video", "--clip", "0s"], /^trilane: video: --clip is 0 s: a video has to last, as --clip 30s\n$/],
  [["video", "shop"], /^trilane: video: shop is no recording: name a page as video-30s-2000k, or leave it out/],
  [["video", "--adapt"], /^trilane: video: --adapt chooses between bitrates: name them with --rates/],
];
for (const [words, message] of wrong)
  test(`${words.join(" ")}: refused in one line`, { skip }, async () => {
    const { err, status } = await run(...words);
    assert.equal(status, 2);
    assert.match(err, message);
  });
