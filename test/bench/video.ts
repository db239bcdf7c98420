import jpeg from "jpeg-js";
import { mean } from "../../cli/base/quantile.ts";
import { usualDevice } from "../../cli/browser/device.ts";
import type { ScreencastFrame } from "../../cli/browser/screencast.ts";
import { parseLink } from "../../cli/link/link.ts";
import type { Lane, PageLoad } from "../../cli/load/load.ts";
import { playbackOf, stalled_ms } from "../../cli/load/metrics/video/playback.ts";
import { segmentsOf } from "../../cli/load/metrics/video/segments.ts";
import { videoMetricsOf } from "../../cli/load/metrics/video/video_metrics.ts";
import { withArchive } from "../../cli/recording/archive/client.ts";
import { ensureSynth } from "../../cli/recording/synth/synthetic.ts";
import { shownAs } from "../../cli/recording/synth/video/video_page.ts";
import { videoSpec } from "../../cli/recording/synth/video/video_spec.ts";
import { binsOf } from "../../cli/report/figures/link_over_time.ts";
import type { VideoEvents, VideoFrame } from "../../schemas/generated/video_events.ts";
import { readPattern } from "../cli/recording/synth/video/read_pattern.ts";
import { untimedLoad } from "../e2e/untimed_load.ts";
import { tempFolder } from "../temp_folder.ts";
import { type Bench, type Measurement, measurement } from "./bench.ts";

const lanes: readonly Lane[] = ["h1", "h2", "h3"];
const capacity_bps = 1.5e6;
const rtt_ms = 20;
/** A queue of one bandwidth-delay product would be of two packets, and no sender could keep that link busy. */
const slowLink = `${capacity_bps / 1e6}mbit/${rtt_ms}ms,queue=200ms`;
const within_percent = 3;
/** With headers, some 5 %, and its sound of 0.096 Mbit/s 0.8 of the capacity. */
const fitting = "video-30s-1040k";
const tooFast = "video-60s-2000k";
const startupClip = "video-4s-2000k";
const startupLink = "10mbit/50ms,queue=100ms";
const filmedClip = "video-12s-1000k";
const instants = 5;
/** Of 25 frames a second. */
const frame_ms = 40;

interface Site {
  readonly home: string;
  readonly runs: number | null;
  readonly say: (line: string) => void;
}

interface Viewed {
  readonly load: PageLoad;
  readonly record: VideoEvents;
  readonly frames: readonly ScreencastFrame[];
}

async function view({ home, say }: Site, page: string, lane: Lane, link: string, isFilmed = false): Promise<Viewed> {
  const recording = await withArchive(home, (archive) => ensureSynth(archive, page));
  const { name, digest, url } = recording;
  let frames: readonly ScreencastFrame[] = [];
  const load = await untimedLoad({
    ...{ home, lane, link: parseLink(link), timeout_ms: 60_000, strict: true },
    recording: { name, digest, url, video_s: videoSpec(page).clip_s },
    ...(isFilmed
      ? {
          filmed: (seen: readonly ScreencastFrame[]) => {
            frames = seen;
          },
        }
      : {}),
  });
  const { status, reasons, video } = load.log._trilane;
  if (status !== "valid" || !video) throw new Error(`${page} ${lane}: ${status}: ${reasons.join("; ")}`);
  const told = videoMetricsOf(video);
  const seconds = (time_ms: number | null): string => ((time_ms ?? 0) / 1000).toFixed(2);
  say(
    `${page} ${lane} ${link}: startup ${seconds(told.startup_delay_ms)} s, ${told.stalls} stalls of ${seconds(told.stall_ms)} s`,
  );
  return { load, record: video, frames };
}

/** What the link carried to the browser from the beginning of playback to the last segment's end, in bits. */
function carried_bits({ load }: Viewed, start_ms: number, end_ms: number): number {
  const { shaper, navigation_start_ns } = load.log._trilane;
  if (!shaper?.timeline || navigation_start_ns === null) throw new Error("the shaper left no time line");
  // Of a minute and more a bin is 640 ms: what of the first and the last one is within counts, too.
  const within_ms = (bin: { start_ms: number; end_ms: number }): number =>
    Math.max(0, Math.min(bin.end_ms, end_ms) - Math.max(bin.start_ms, start_ms));
  return binsOf(shaper.timeline, "down", navigation_start_ns).reduce(
    (sum, bin) => sum + (bin.rate_bps * within_ms(bin)) / 1000,
    0,
  );
}

/** Round trips before the first segment is asked for: manifest, name, handshake, initialization segment. */
const opening: Readonly<Record<string, number>> = { h1: 5, h2: 5, h3: 4 };

interface Waited {
  /** Startup delay and stalls. */
  readonly waited_ms: number;
  readonly expected_ms: number;
  /** By nominal bitrates, as if nothing were to be opened, asked for or played out. */
  readonly bare_ms: number;
  /** From the player's start to the end, less the clip: what was waited by the clock alone. */
  readonly byClock_ms: number;
}

function waitedOf(viewed: Viewed, lane: Lane): Waited {
  const { record } = viewed;
  const { clip_s, segment_s, video, audio } = record.settings;
  const { start_ms, began_ms, ended_ms, stalls } = playbackOf(record.events);
  if (began_ms === null || ended_ms === null) throw new Error("the video did not play to its end");
  const segments = segmentsOf(record.events, "video");
  const last_ms = Math.max(...segments.map(({ end_ms }) => end_ms));
  const requests = segments.filter(({ number }) => number > 0).length;
  const rate_bps = carried_bits(viewed, start_ms, last_ms) / clip_s;
  const roundTrips = (opening[lane] ?? 0) + requests;
  const nominal_bps = [video[0], audio[0]].reduce((sum, each) => sum + (each?.bitrate_bps ?? 0), 0);
  return {
    waited_ms: began_ms - start_ms + stalled_ms({ stalls }),
    expected_ms: (clip_s * (rate_bps / capacity_bps - 1) + segment_s) * 1000 + roundTrips * rtt_ms,
    bare_ms: clip_s * (nominal_bps / capacity_bps - 1) * 1000,
    byClock_ms: ended_ms - start_ms - clip_s * 1000,
  };
}

const apart_percent = (a: number, b: number): number => (100 * Math.abs(a - b)) / b;

async function times<T>(count: number, work: () => Promise<T>): Promise<T[]> {
  const all: T[] = [];
  for (let run = 0; run < count; run++) all.push(await work());
  return all;
}

async function stallParts(site: Site): Promise<Measurement[]> {
  const rows: Measurement[] = [];
  for (const lane of lanes) {
    const found = await times(site.runs ?? 1, async () => waitedOf(await view(site, tooFast, lane, slowLink), lane));
    for (const { waited_ms, expected_ms } of found)
      site.say(`  ${lane}: waited ${(waited_ms / 1000).toFixed(2)} s, expected ${(expected_ms / 1000).toFixed(2)} s`);
    const row = (what: string, values: readonly number[], bar: number | null): Measurement =>
      measurement(`${lane}: ${what}`, values, bar, { unit: "%" });
    rows.push(
      measurement(
        `${lane}: startup and stalls, ${tooFast} over ${slowLink}`,
        found.map(({ waited_ms }) => waited_ms),
        null,
      ),
      row(
        "off the theory",
        found.map(({ waited_ms, expected_ms }) => apart_percent(waited_ms, expected_ms)),
        within_percent,
      ),
      row(
        "off the bare D (R / C - 1)",
        found.map(({ waited_ms, bare_ms }) => apart_percent(waited_ms, bare_ms)),
        null,
      ),
      row(
        "off the clock: end less start less clip",
        found.map(({ waited_ms, byClock_ms }) => apart_percent(waited_ms, byClock_ms)),
        within_percent,
      ),
    );
  }
  return rows;
}

async function smoothParts(site: Site): Promise<Measurement[]> {
  const rows: Measurement[] = [];
  for (const lane of lanes) {
    const found = await times(site.runs ?? 1, async () => {
      const { record } = await view(site, fitting, lane, slowLink);
      return videoMetricsOf(record).stalls ?? Number.NaN;
    });
    rows.push(measurement(`${lane}: stalls, ${fitting} over ${slowLink}`, found, 0, { unit: "times" }));
  }
  return rows;
}

/** Standard deviation over mean. */
function spread_percent(values: readonly number[]): number {
  const middle = mean(values);
  const variance = values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / (values.length - 1);
  return (100 * Math.sqrt(variance)) / middle;
}

async function startupParts(site: Site): Promise<Measurement[]> {
  const rows: Measurement[] = [];
  for (const lane of ["h2", "h3"] as const) {
    const found = await times(site.runs ?? 20, async () => {
      const { record } = await view(site, startupClip, lane, startupLink);
      return videoMetricsOf(record).startup_delay_ms ?? Number.NaN;
    });
    rows.push(
      measurement(`${lane}: startup delay, ${startupClip} over ${startupLink}`, found, null),
      measurement(`${lane}: its spread`, [spread_percent(found)], within_percent, { unit: "%" }),
    );
  }
  return rows;
}

/** Of a film the numbers that its pictures show, in the load's time. */
function shownNumbers({ load, frames }: Viewed): { readonly time_ms: number; readonly number: number }[] {
  const began_ms = Date.parse(load.log.pages[0]?.startedDateTime ?? "");
  return frames.flatMap(({ at_ms, jpeg: picture }) => {
    const { data, width, height } = jpeg.decode(picture, { useTArray: true });
    // The film is smaller than the window.
    const scale = width / usualDevice.width;
    const area = { left: 0, top: 0, width: shownAs.width * scale, height: shownAs.height * scale };
    const number = readPattern({ data, width, height, channels: 4 }, area);
    return number === null || !Number.isFinite(at_ms) ? [] : [{ time_ms: at_ms - began_ms, number }];
  });
}

async function frameParts(site: Site): Promise<Measurement[]> {
  const rows: Measurement[] = [];
  for (const lane of lanes) {
    const viewed = await view(site, filmedClip, lane, startupLink, true);
    const shown = shownNumbers(viewed);
    const claimed = viewed.record.events.filter((event): event is VideoFrame => event.kind === "frame");
    const { began_ms, ended_ms } = playbackOf(viewed.record.events);
    const [from_ms, to_ms] = [began_ms ?? 0, ended_ms ?? 0];
    const offs = Array.from({ length: instants }, (_, index) => {
      const at_ms = from_ms + ((index + 0.5) * (to_ms - from_ms)) / instants;
      const picture = shown.toSorted((a, b) => Math.abs(a.time_ms - at_ms) - Math.abs(b.time_ms - at_ms))[0];
      if (!picture) throw new Error(`${lane}: no picture of the film shows a frame's number`);
      // A frame that the callback missed has its place between its neighbours.
      const event = claimed.toSorted(
        (a, b) => Math.abs(a.number - picture.number) - Math.abs(b.number - picture.number),
      )[0];
      const claimed_ms = event
        ? event.expected_display_ms + (picture.number - event.number) * frame_ms
        : Number.POSITIVE_INFINITY;
      const off_ms = Math.abs(claimed_ms - picture.time_ms);
      site.say(
        `  ${lane} at ${(picture.time_ms / 1000).toFixed(2)} s: the film shows frame ${picture.number}, the events have it at ${(claimed_ms / 1000).toFixed(2)} s`,
      );
      return off_ms;
    });
    rows.push(
      measurement(
        `${lane}: a frame in the film and in the events, most of ${instants} instants`,
        [Math.max(...offs)],
        frame_ms,
      ),
    );
  }
  return rows;
}

const parts: Readonly<Record<string, (site: Site) => Promise<Measurement[]>>> = {
  frames: frameParts,
  startup: startupParts,
  smooth: smoothParts,
  stalls: stallParts,
};

export const bench: Bench = async (say, only, { runs }) => {
  const chosen = Object.entries(parts).filter(([name]) => only === "" || only === name);
  if (chosen.length === 0) throw new Error(`no part ${only}: name one of ${Object.keys(parts).join(", ")}`);
  const home = tempFolder("trilane-video-");
  const rows: Measurement[] = [];
  for (const [, part] of chosen) rows.push(...(await part({ home, runs, say })));
  return rows;
};
