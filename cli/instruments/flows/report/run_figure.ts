// One run of flows under one time axis: goodput, congestion window, round-trip time, queueing delay and drops, a colour and a number
// for each flow, and below them the page that was loaded during the flows. Draws given numbers.
import { drawing, numbersAt, tickText } from "../../../../extension/figures/axes.ts";
import { flowHues } from "../../../../extension/figures/colours.ts";
import { fitted, html, type Markup } from "../../../../extension/figures/markup.ts";
import { phaseLegend } from "../../../../extension/figures/phase_shapes.ts";
import { type Scale, scaleFromZero } from "../../../../extension/figures/scale.ts";
import { count, formatSize, formatTime } from "../../../base/numbers.ts";
import { formatRate } from "../../../registry/units.ts";
import { axisLeft, axisRight, tagHeight, titleHeight, width } from "../../../report/figures/axis.ts";
import { type Band, type Curve, greatestOf } from "../../../report/figures/curve.ts";
import { savedFigure } from "../../../report/figures/figure_file.ts";
import { flowLegend } from "../../../report/figures/flow_legend.ts";
import { readingKey } from "../../../report/figures/parts.ts";
import { type PlottedLine, type Row, rowMarkup } from "../../../report/figures/plot_row.ts";
import { type PageDuringFlows, pageRow } from "./page_row.ts";

export type Side = "down" | "up";

export interface PicturedFlow {
  /** Its colour, 1 to 8, which is also its label. */
  readonly number: number;
  readonly name: string;
  /** How many flows are drawn as one. */
  readonly flows: number;
  readonly direction: Side;
  /** Of all of them, as the run's metrics have it. */
  readonly goodput_bps: number | null;
  /** Goodput of all of them together. */
  readonly rate_bps: Curve;
  /** Of several flows their median. */
  readonly window_bytes: Curve;
  readonly rtt_ms: Curve;
  /** Over runs, or else over the flows drawn as one; null: of one there is none. */
  readonly bands: { readonly rate_bps: Band | null; readonly window_bytes: Band | null; readonly rtt_ms: Band | null };
  /** Packets dropped at the bottleneck, by the begin of the bin. */
  readonly drops: Curve;
  /** Of the bins of the rate, for who wants numbers: means of the lines above, and packets dropped in each. */
  readonly binned: { readonly window_bytes: Curve; readonly rtt_ms: Curve; readonly drops: Curve };
}

export interface FlowPicture {
  /** What ran: mix and link. */
  readonly title: string;
  readonly end_ms: number;
  readonly flows: readonly PicturedFlow[];
  /** Over how long rates are reported. */
  readonly rateSpan_ms: number;
  /** What the link carries from each time on; a direction without flows, without a limit or by a trace has no entry. */
  readonly capacity: readonly { readonly side: Side; readonly steps: readonly (readonly [number, number])[] }[];
  /** The link's; null: it varies. */
  readonly baseRtt_ms: number | null;
  readonly bdp_bytes: number | null;
  /** Queueing delay of all packets of a direction that has flows. */
  readonly queue: readonly { readonly side: Side; readonly delay_ms: Curve }[];
  /** Null: there was none. */
  readonly ping_ms: { readonly line: Curve; readonly binned: Curve } | null;
  /** Which run is in front: `run 3`. */
  readonly shown: string;
  /** Runs that the bands are of, and how many valid ones there are. */
  readonly runs: number;
  readonly ofRuns: number;
  readonly page: PageDuringFlows | null;
}

const gap = 12;
const dropLane = 12;
/** A BDP beyond so many times the widest window is reported, not drawn. */
const bdpReach = 2.5;

const scaled = ({ time_ms, value }: Curve, by: number): Curve => ({
  time_ms,
  value: Array.from(value, (each) => each * by),
});

function scaledBand({ time_ms, low, high }: Band, by: number): Band {
  return { time_ms, low: Array.from(low, (each) => each * by), high: Array.from(high, (each) => each * by) };
}

/** Where packets were dropped: a stroke for each pixel that has any, a lane for each flow. */
function dropsMarkup(flows: readonly PicturedFlow[], time: Scale, y0: number): { markup: Markup; height: number } {
  const lanes = flows.filter(({ drops }) => greatestOf(drops.value) > 0);
  const total = ({ drops }: PicturedFlow): number => Array.from(drops.value).reduce((sum, packets) => sum + packets, 0);
  const top = y0 + titleHeight;
  const rows = lanes.map((flow, index) => {
    const columns = new Set<number>();
    for (let at = 0; at < flow.drops.time_ms.length; at++)
      if ((flow.drops.value[at] as number) > 0) columns.add(Math.round(time.at(flow.drops.time_ms[at] as number)));
    const y = top + index * dropLane;
    const marks = [...columns].sort((a, b) => a - b).map((column) => `M${column} ${y}v${dropLane - 2}`);
    return html`<g class="flow-${String(flow.number)}"><g class="plotted"><path class="dropmarks" d="${marks.join("")}"><title>${flow.name}: ${count(total(flow), "packet")} dropped</title></path></g><text class="tag" x="${axisRight + 14}" y="${y + dropLane - 1}">${String(flow.number)}</text></g>`;
  });
  const all = lanes.reduce((sum, flow) => sum + total(flow), 0);
  const byFlow = lanes.map((flow) => `${flow.number}: ${total(flow)}`).join(", ");
  const height = titleHeight + Math.max(1, lanes.length) * dropLane;
  const ground = html`<line class="grid" x1="${axisLeft}" x2="${axisRight}" y1="${y0 + height}" y2="${y0 + height}"/>`;
  return {
    markup: html`<g class="drops-row" data-row="drops"><text class="lane" x="0" y="${y0 + 12}">Drops</text><text class="axis end aside" x="${axisRight}" y="${y0 + 12}">${all === 0 ? "none" : count(all, "packet")}${all > 0 && html`<tspan class="more">; by flow ${fitted(byFlow, 420, 11.5)}</tspan>`}</text>${ground}${rows}</g>`,
    height: height + gap,
  };
}

const listed = (parts: readonly (string | false | null)[]): string => parts.filter(Boolean).join("; ");

/** Null where no direction has a limit that is known at each time. */
function carriedWords(capacity: FlowPicture["capacity"]): string | null {
  const carried = capacity.map(({ side, steps }) => {
    const rates = [...new Set(steps.map(([, rate_bps]) => rate_bps))];
    return { side, rate: rates.length === 1 ? formatRate(rates[0] as number) : "as it changed" };
  });
  const [first] = carried;
  if (!first) return null;
  if (carried.every(({ rate }) => rate === first.rate)) return `${first.rate}${carried.length > 1 ? " each way" : ""}`;
  return carried.map(({ side, rate }) => `${rate} ${side}`).join(", ");
}

function rowsOf(picture: FlowPicture): Row[] {
  const { flows, capacity, baseRtt_ms, bdp_bytes, queue, ping_ms } = picture;
  const lines = (
    curve: (flow: PicturedFlow) => Curve,
    band: (flow: PicturedFlow) => Band | null,
    by: number,
  ): PlottedLine[] =>
    flows.map((flow) => {
      const its = band(flow);
      return { number: flow.number, curve: scaled(curve(flow), by), band: its && scaledBand(its, by) };
    });
  const whole = (value: number): readonly (readonly [number, number])[] => [[Number.NEGATIVE_INFINITY, value]];
  const mbit = 1e-6;
  const kB = 1e-3;
  const carried = carriedWords(capacity);
  const both = queue.length > 1;
  // Windows of many flows are far below it: they would be drawn as one line on the ground.
  const widest = Math.max(...flows.map(({ window_bytes }) => greatestOf(window_bytes.value)));
  const bdp = bdp_bytes !== null && bdp_bytes <= bdpReach * widest ? bdp_bytes : null;
  return [
    {
      name: "goodput",
      title: "Goodput, Mbit/s",
      aside: carried === null ? "" : `dashed: the link, ${carried}`,
      height: Math.max(120, flows.length * tagHeight + 6),
      lines: lines(
        ({ rate_bps }) => rate_bps,
        ({ bands }) => bands.rate_bps,
        mbit,
      ),
      areas: [],
      outlines: [],
      limits: capacity.map(({ steps }) => steps.map(([at_ms, rate_bps]) => [at_ms, rate_bps * mbit] as const)),
    },
    {
      name: "window",
      title: "Congestion window, kB",
      aside: bdp_bytes === null ? "" : `${bdp === null ? "" : "dashed: "}one BDP, ${formatSize(bdp_bytes)}`,
      height: Math.max(96, flows.length * tagHeight + 6),
      lines: lines(
        ({ window_bytes }) => window_bytes,
        ({ bands }) => bands.window_bytes,
        kB,
      ),
      areas: [],
      outlines: [],
      limits: bdp === null ? [] : [whole(bdp * kB)],
    },
    {
      name: "rtt",
      title: "Round-trip time, ms",
      aside: listed([baseRtt_ms !== null && `dashed: the link’s ${tickText(baseRtt_ms)} ms`, ping_ms && "grey: ping"]),
      height: Math.max(84, flows.length * tagHeight + 6),
      lines: lines(
        ({ rtt_ms }) => rtt_ms,
        ({ bands }) => bands.rtt_ms,
        1,
      ),
      areas: [],
      outlines: ping_ms ? [ping_ms.line] : [],
      limits: baseRtt_ms === null ? [] : [whole(baseRtt_ms)],
    },
    {
      name: "queue",
      title: "Queueing delay, ms",
      aside: `most: ${queue.map(({ side, delay_ms }) => `${formatTime(greatestOf(delay_ms.value))}${both ? ` ${side}${side === "up" ? " (line)" : ""}` : ""}`).join(", ")}`,
      height: 60,
      lines: [],
      areas: queue.filter(({ side }) => !both || side === "down").map(({ delay_ms }) => delay_ms),
      outlines: both ? queue.filter(({ side }) => side === "up").map(({ delay_ms }) => delay_ms) : [],
      limits: [],
    },
  ];
}

const csvColumns = [
  ...["number", "flow", "flows", "direction", "time_ms"],
  ...["goodput_bps", "goodput_low_bps", "goodput_high_bps", "window_bytes", "window_low_bytes", "window_high_bytes"],
  ...["rtt_ms", "rtt_low_ms", "rtt_high_ms", "dropped_packets", "queue_delay_ms", "ping_ms"],
];

/** A row for each flow and bin; times are the bins' middles. */
function csvRows({ flows, queue, ping_ms }: FlowPicture): (string | number | null)[][] {
  const at = (values: ArrayLike<number> | undefined, index: number): number | null => {
    const value = values?.[index];
    return value !== undefined && Number.isFinite(value) ? value : null;
  };
  return flows.flatMap(({ number, name, flows: many, direction, rate_bps, bands, binned }) =>
    Array.from(rate_bps.time_ms).flatMap((time_ms, bin) => {
      const goodput = at(rate_bps.value, bin);
      const [window, rtt] = [at(binned.window_bytes.value, bin), at(binned.rtt_ms.value, bin)];
      if (goodput === null && window === null && rtt === null) return [];
      const ends = (band: Band | null): (number | null)[] => [at(band?.low, bin), at(band?.high, bin)];
      const delay = queue.find(({ side }) => side === direction)?.delay_ms.value;
      return [
        [
          ...[number, name, many, direction, time_ms, goodput, ...ends(bands.rate_bps)],
          ...[window, ...ends(bands.window_bytes), rtt, ...ends(bands.rtt_ms)],
          ...[at(binned.drops.value, bin), at(delay, bin), at(ping_ms?.binned.value, bin)],
        ],
      ];
    }),
  );
}

const key = (picture: FlowPicture): Markup =>
  readingKey(
    `Goodput: what the receiver’s application got, as a rate over ${formatTime(picture.rateSpan_ms)}. Window and smoothed round-trip time: the sender’s, as the kernel or quiche reports them. Queueing delay: of the flows’ packets that left the bottleneck, their mean in each bin. Drops: packets that the bottleneck dropped, at their bin.${picture.flows.some(({ flows }) => flows > 1) ? ` Several flows drawn as one: the sum of their goodputs, the median of their windows and round-trip times${picture.runs > 1 ? "" : "; band: from the least of them to the greatest"}.` : ""}`,
  );

function captionOf({ shown, runs, ofRuns, flows, title }: FlowPicture): string {
  const all = flows.reduce((sum, each) => sum + each.flows, 0);
  const grouped = all > flows.length ? ` ${count(all, "flow")} in ${count(flows.length, "group")}.` : "";
  const front =
    runs > 1
      ? `Line: ${shown}, the one nearest the medians; band: from the least to the greatest of ${runs}${ofRuns > runs ? ` of the ${ofRuns}` : ""} runs.`
      : ofRuns > 1
        ? `One of ${ofRuns} runs, ${shown}, the one nearest the medians.`
        : `One run, ${shown}.`;
  return `${title}. ${front}${grouped}`;
}

export function flowRunFigure(picture: FlowPicture): Markup {
  const { title, end_ms, flows, page } = picture;
  const time = scaleFromZero(end_ms / 1000, axisLeft, axisRight, 10);
  const inMs: Scale = { ...time, low: 0, high: time.high * 1000, at: (time_ms) => time.at(time_ms / 1000) };
  const scale: Scale = { ...inMs, ticks: time.ticks.map((tick) => tick * 1000) };
  let y = 4;
  const parts: Markup[] = [];
  for (const row of rowsOf(picture)) {
    parts.push(rowMarkup(row, scale, y));
    y += titleHeight + row.height + gap;
  }
  const drops = dropsMarkup(flows, scale, y);
  parts.push(drops.markup);
  y += drops.height;
  if (page) {
    const drawn = pageRow(page, scale, y);
    parts.push(drawn.markup);
    y += drawn.height + gap;
  }
  const height = y + 26;
  const words = flows.map(
    ({ number, name, goodput_bps }) => `${number} ${name}${goodput_bps === null ? "" : ` ${formatRate(goodput_bps)}`}`,
  );
  const label = `Flows over time, ${title}: goodput, window, round-trip time, queue and drops of ${words.join(", ")}`;
  const plot = drawing(
    { look: "wide", label, width, height },
    html`${parts}${numbersAt(time, y + 4)}<text class="axis end" x="${axisRight}" y="${y + 20}">seconds since the run began</text>`,
  );
  const figure = html`<figure class="${`flows ${flowHues(flows)}`.trim()}">${flowLegend(
    flows.map(({ number, name, goodput_bps }) => ({
      number,
      words: name,
      aside: goodput_bps === null ? "" : formatRate(goodput_bps),
    })),
  )}${plot}${page && phaseLegend()}<figcaption>${captionOf(picture)}</figcaption>${key(picture)}</figure>`;
  return savedFigure(figure, { name: ["flows", title], columns: csvColumns, rows: csvRows(picture) });
}
