// Videos over time: how much was buffered, when they stood still, which representation was requested, and below them what their link
// carried and what waited for it, under one time axis, a colour for each lane. Draws given loads; what a stall is, is
// cli/load/metrics/video's.

import { drawing, numbersAt } from "../../../extension/figures/axes.ts";
import { laneClass } from "../../../extension/figures/colours.ts";
import { coordinate, html, type Markup } from "../../../extension/figures/markup.ts";
import { type Scale, scaleFromZero } from "../../../extension/figures/scale.ts";
import type { LoadFacts } from "../../../schemas/generated/page_load.ts";
import type { VideoBuffer, VideoEvents } from "../../../schemas/generated/video_events.ts";
import { count, formatTime } from "../../base/numbers.ts";
import { type Playback, playbackOf, stalled_ms } from "../../load/metrics/video/playback.ts";
import { segmentsOf } from "../../load/metrics/video/segments.ts";
import { formatRate } from "../../registry/units.ts";
import { axisLeft, axisRight, tagHeight, titleHeight, width } from "../figures/axis.ts";
import { capacitySteps } from "../figures/capacity_steps.ts";
import type { Curve } from "../figures/curve.ts";
import { savedFigure } from "../figures/figure_file.ts";
import { flowLegend } from "../figures/flow_legend.ts";
import type { ShapedLoad } from "../figures/link_facts.ts";
import { binsOf } from "../figures/link_over_time.ts";
import { readingKey } from "../figures/parts.ts";
import { type PlottedLine, type Row, rowMarkup, type Steps } from "../figures/plot_row.ts";

// What a video's link carried, and what waited for it, over stretches of about half a second: a burst of packets is no rate. The shaper
// keeps few bins, which are the longer the longer it ran: stretches are whole bins, and say how long they are. Pure.

/** Times are since the navigation. */
interface LinkSpan {
  readonly start_ms: number;
  readonly end_ms: number;
  /** Mean. */
  readonly rate_bps: number;
  /** The most. */
  readonly queue_bytes: number;
}

const wanted_ms = 500;

/** Down, from the navigation to `until_ms`; empty if the load did not keep it. */
function linkSpans({ shaper, navigation_start_ns }: LoadFacts, until_ms: number): LinkSpan[] {
  const timeline = shaper?.timeline;
  if (!timeline || navigation_start_ns === null) return [];
  const bins = binsOf(timeline, "down", navigation_start_ns).filter(
    ({ start_ms, end_ms }) => end_ms > 0 && start_ms < until_ms,
  );
  const together = Math.max(1, Math.round((wanted_ms * 1e6) / timeline.bin_ns));
  return [...Map.groupBy(bins, (_, index) => Math.floor(index / together)).values()].map((span) => ({
    start_ms: span[0]?.start_ms ?? 0,
    end_ms: span.at(-1)?.end_ms ?? 0,
    rate_bps: span.reduce((sum, { rate_bps }) => sum + rate_bps, 0) / span.length,
    queue_bytes: span.reduce((most, { queue_bytes }) => Math.max(most, queue_bytes), 0),
  }));
}

const spanLength_ms = ({ start_ms, end_ms }: LinkSpan): number => end_ms - start_ms;

/** The one that a time lies in; null: none does. */
const spanAt = (spans: readonly LinkSpan[], t_ms: number): LinkSpan | null =>
  spans.find(({ start_ms, end_ms }) => t_ms >= start_ms && t_ms < end_ms) ?? null;

/** How long they are: the last of each load may be shorter. */
function spanWords(loads: readonly (readonly LinkSpan[])[]): string {
  const lengths = loads.flatMap(([first]) => (first ? [spanLength_ms(first)] : []));
  const words = [Math.min(...lengths), Math.max(...lengths)].map(formatTime);
  return lengths.length === 0 ? "" : [...new Set(words)].join(" to ");
}

const gap = 12;
const barHeight = 11;
const barLane = 15;

interface Viewing {
  readonly id: number;
  readonly lane: string;
  readonly number: number;
  readonly style: string;
  readonly record: VideoEvents;
  readonly playback: Playback;
  readonly buffer: readonly VideoBuffer[];
  readonly spans: readonly LinkSpan[];
  /** Null: unlimited, or by a trace. */
  readonly capacity: Steps | null;
  /** Of a link by a trace; null: of another, or not known. */
  readonly traceMean_bps: number | null;
}

/** At the middle of each span. */
const curveOf = (spans: readonly LinkSpan[], value: (span: LinkSpan) => number): Curve => ({
  time_ms: spans.map(({ start_ms, end_ms }) => (start_ms + end_ms) / 2),
  value: spans.map(value),
});

function viewingsOf(loads: readonly ShapedLoad[]): Viewing[] {
  const lanes = loads.map(({ lane }) => lane);
  return loads.flatMap(({ id, lane, facts }): Viewing[] => {
    const { video: record, shaper, navigation_start_ns } = facts;
    if (!record || record.events.length === 0) return [];
    const playback = playbackOf(record.events);
    const start_ms = shaper && navigation_start_ns !== null ? (shaper.start_ns - navigation_start_ns) / 1e6 : 0;
    return [
      {
        ...{ id, lane, record, playback, number: lanes.indexOf(lane) + 1, style: laneClass(lane, lanes) },
        buffer: record.events.filter((event): event is VideoBuffer => event.kind === "buffer"),
        spans: linkSpans(facts, playback.last_ms),
        capacity: shaper ? capacitySteps(shaper.link, "down", start_ms) : null,
        traceMean_bps: shaper?.link.down.trace && !shaper.link.switch ? shaper.link.down.rate_bps : null,
      },
    ];
  });
}

/** A line that keeps its value until the next. */
function stepped(points: readonly (readonly [time_ms: number, value: number])[], end_ms: number): Curve {
  const time_ms = points.flatMap(([at_ms], index) => [at_ms, points[index + 1]?.[0] ?? end_ms]);
  return { time_ms, value: points.flatMap(([, value]) => [value, value]) };
}

/** Which bitrate each segment of pictures was requested in. */
function requested_mbit({ record, playback }: Viewing): Curve {
  const bitrates = new Map(record.settings.video.map(({ id, bitrate_bps }) => [id, bitrate_bps]));
  const points = segmentsOf(record.events, "video")
    .filter(({ number }) => number > 0)
    .map(({ start_ms, representation }) => [start_ms, (bitrates.get(representation) ?? 0) / 1e6] as const);
  return stepped(points, playback.last_ms);
}

/** What its link carries, in Mbit/s; of a trace its mean. */
function limitOf({ capacity, traceMean_bps }: Viewing): Steps | undefined {
  const steps = capacity ?? (traceMean_bps === null ? [] : [[Number.NEGATIVE_INFINITY, traceMean_bps] as const]);
  return steps.length === 0 ? undefined : steps.map(([at_ms, rate_bps]) => [at_ms, rate_bps / 1e6] as const);
}

/** One for all, or where they differ, as steps do that began at other times of the loads, each lane's own. */
function limitsOf(viewings: readonly Viewing[]): { readonly limits: Steps[]; readonly own: boolean } {
  const limits = viewings.map(limitOf);
  const isOne = new Set(limits.map((steps) => JSON.stringify(steps))).size === 1;
  return { limits: isOne && limits[0] ? [limits[0]] : [], own: !isOne };
}

function limitWords(viewings: readonly Viewing[], only: number | undefined): string {
  if (only !== undefined) return `dashed: it carries ${formatRate(only)}`;
  if (viewings.some(({ traceMean_bps }) => traceMean_bps !== null)) return "dashed: mean of the trace";
  return viewings.some(({ capacity }) => capacity) ? "dashed: what it carries" : "";
}

function rowsOf(viewings: readonly Viewing[]): { readonly above: Row[]; readonly below: Row[] } {
  const lines = (of: (viewing: Viewing) => Curve): PlottedLine[] =>
    viewings.map((viewing) => ({ number: viewing.number, style: viewing.style, curve: of(viewing), band: null }));
  const plain = { areas: [], outlines: [], limits: [] };
  const height = (least: number): number => Math.max(least, viewings.length * tagHeight + 6);
  const rates = new Set(viewings.flatMap(({ capacity }) => capacity?.map(([, rate_bps]) => rate_bps) ?? [null]));
  const [rate_bps = null] = rates;
  const only = rates.size === 1 && rate_bps !== null ? rate_bps : undefined;
  const { limits, own } = limitsOf(viewings);
  const span = spanWords(viewings.map(({ spans }) => spans));
  const adapts = viewings.some(({ record }) => record.settings.video.length > 1);
  const queue: Row = {
    ...{ name: "queue", title: only ? "Queue, ms" : "Queue, kB", aside: span && `most in ${span}`, ...plain },
    height: height(60),
    lines: lines(({ spans }) => curveOf(spans, ({ queue_bytes }) => queue_bytes * (only ? 8000 / only : 1e-3))),
  };
  return {
    above: [
      {
        ...{ name: "buffer", title: "Buffered pictures, s", aside: "", ...plain },
        height: height(120),
        lines: lines(({ buffer }) => ({
          time_ms: buffer.map(({ t_ms }) => t_ms),
          value: buffer.map(({ video_s }) => video_s),
        })),
      },
    ],
    below: [
      ...(adapts
        ? [
            {
              ...{ name: "representation", title: "Asked for, Mbit/s", aside: "bitrate of each segment", ...plain },
              height: height(72),
              lines: lines(requested_mbit),
            },
          ]
        : []),
      {
        ...{ name: "link-rate", title: "Link, Mbit/s", ...plain },
        aside: limitWords(viewings, only),
        height: height(84),
        lines: lines(({ spans }) => curveOf(spans, ({ rate_bps }) => rate_bps / 1e6)).map((line, index) => {
          const limit = own && viewings[index] ? limitOf(viewings[index]) : undefined;
          return limit ? { ...line, limit } : line;
        }),
        limits,
      },
      queue,
    ],
  };
}

/** A lane of bars for each load: pale until it plays, full where it stood still. */
function stallsMarkup(viewings: readonly Viewing[], time: Scale, y0: number): { markup: Markup; height: number } {
  const top = y0 + titleHeight;
  const bar = (from_ms: number, to_ms: number, y: number): string => {
    const [left, right] = [time.at(from_ms), time.at(to_ms)];
    return `M${coordinate(left)} ${y}h${coordinate(Math.max(0.8, right - left))}v${barHeight}H${coordinate(left)}z`;
  };
  const lanes = viewings.map(({ number, style, lane, playback }, index) => {
    const y = top + index * barLane;
    const { start_ms, began_ms, last_ms, stalls } = playback;
    const tooltip = `${lane}: ${stallWords(playback)}`;
    return html`<g class="${style}"><g class="plotted"><path class="flowband" d="${bar(start_ms, began_ms ?? last_ms, y)}"><title>${lane}: ${began_ms === null ? "never began to play" : `startup ${formatTime(began_ms - start_ms)}`}</title></path>${stalls.length > 0 && html`<path class="flowbar" d="${stalls.map((stall) => bar(stall.start_ms, stall.end_ms, y)).join("")}"><title>${tooltip}</title></path>`}</g><text class="tag" x="${axisRight + 14}" y="${y + barHeight}">${String(number)}</text></g>`;
  });
  const bottom = top + viewings.length * barLane;
  const ground = html`<line class="grid" x1="${axisLeft}" x2="${axisRight}" y1="${bottom}" y2="${bottom}"/>`;
  return {
    markup: html`<g class="stalls-row" data-row="stalls"><text class="lane" x="0" y="${y0 + 12}">Not playing</text><text class="axis end aside" x="${axisRight}" y="${y0 + 12}">pale: startup; full: stalls</text>${ground}${lanes}</g>`,
    height: titleHeight + viewings.length * barLane + gap,
  };
}

function stallWords({ began_ms, stalls }: Playback): string {
  if (began_ms === null) return "never played";
  return stalls.length === 0 ? "no stall" : `${count(stalls.length, "stall")}, ${formatTime(stalled_ms({ stalls }))}`;
}

const csvColumns = [
  ...["lane", "load_id", "time_ms", "media_s", "buffered_video_s", "buffered_audio_s", "standing_still"],
  ...["dropped_frames", "link_rate_bps", "link_queue_peak_bytes", "link_span_ms"],
];

/** A row for each sample of the buffer; the link's values are of the span that it lies in. */
function csvRows(viewing: Viewing): (string | number | boolean | null)[][] {
  const { id, lane, playback, buffer, spans } = viewing;
  const isStill = (t_ms: number): boolean =>
    playback.began_ms === null ||
    t_ms < playback.began_ms ||
    playback.stalls.some(({ start_ms, end_ms }) => t_ms >= start_ms && t_ms < end_ms);
  return buffer.map(({ t_ms, media_s, video_s, audio_s, dropped_frames }) => {
    const span = spanAt(spans, t_ms);
    return [
      ...[lane, id, t_ms, media_s, video_s, audio_s, isStill(t_ms), dropped_frames],
      ...(span ? [span.rate_bps, span.queue_bytes, spanLength_ms(span)] : [null, null, null]),
    ];
  });
}

/** Null if none of these loads played a video. */
export function videoOverTime(name: string, loads: readonly ShapedLoad[]): Markup | null {
  const viewings = viewingsOf(loads);
  if (viewings.length === 0) return null;
  const end_ms = viewings.reduce((latest_ms, { playback }) => Math.max(latest_ms, playback.last_ms), 0);
  const seconds = scaleFromZero(end_ms / 1000, axisLeft, axisRight, 10);
  const time: Scale = {
    low: 0,
    high: seconds.high * 1000,
    at: (time_ms) => Math.max(axisLeft, Math.min(axisRight, seconds.at(time_ms / 1000))),
    ticks: seconds.ticks.map((tick) => tick * 1000),
  };
  let y = 4;
  const parts: Markup[] = [];
  const { above, below } = rowsOf(viewings);
  const addRows = (rows: readonly Row[]): void => {
    for (const row of rows) {
      parts.push(rowMarkup(row, time, y));
      y += titleHeight + row.height + gap;
    }
  };
  addRows(above);
  const stalls = stallsMarkup(viewings, time, y);
  parts.push(stalls.markup);
  y += stalls.height;
  addRows(below);
  const height = y + 26;
  const names = viewings.map(({ number, style, lane, playback }) => {
    const { start_ms, began_ms } = playback;
    const startup = began_ms === null ? "" : `startup ${formatTime(began_ms - start_ms)}, `;
    return { number, style, words: lane, aside: `${startup}${stallWords(playback)}` };
  });
  const span = spanWords(viewings.map(({ spans }) => spans)) || "a moment";
  const label = `A video over time, ${name}: buffer, stalls, link and queue of ${names.map(({ words, aside }) => `${words}, ${aside}`).join("; ")}`;
  const drawn = drawing(
    { look: "wide", label, width, height },
    html`${parts}${numbersAt(seconds, y + 4)}<text class="axis end" x="${axisRight}" y="${y + 20}">seconds since the navigation</text>`,
  );
  const figure = html`<figure class="flows video">${flowLegend(names)}${drawn}<figcaption>${name}: the video over time in the load of each lane that is closest to its median (n = ${String(viewings.length)}), with what its link did.</figcaption>${readingKey(`Buffered: pictures ahead of the playhead, sampled about every 100 ms. Not playing: pale from the moment the player was told to play until the first frame, full while it stood still. Link: the rate at which bytes reached the browser, over ${span}; queue: the most that waited for the link in that time.`)}</figure>`;
  return savedFigure(figure, { name: ["video-over-time", name], columns: csvColumns, rows: viewings.flatMap(csvRows) });
}
