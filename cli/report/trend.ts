// `trilane report --trend NAME`: the medians of each page on each link over the sweeps of one name, oldest first. Each sweep is measured
// as its own report measures it; what changed between two is for `trilane compare` to test.

import { acrossGrid, drawing } from "../../extension/figures/axes.ts";
import { laneClass } from "../../extension/figures/colours.ts";
import { coordinate, html, type Markup } from "../../extension/figures/markup.ts";
import { roundScale } from "../../extension/figures/scale.ts";
import { UserError } from "../base/errors.ts";
import { endsOf } from "../base/interval.ts";
import { count, formatMedian, formatTime, formatTimeRange } from "../base/numbers.ts";
import { version } from "../base/version.ts";
import type { Results, Sweep } from "../results/store/results.ts";
import { comparedMetric, type MetricChoice, samplesOf, usualMetric } from "../results/verdict/compared_metric.ts";
import { type LaneSummary, summarize } from "../results/verdict/summary.ts";
import { groupsOf } from "./data.ts";
import { savedFigure } from "./figures/figure_file.ts";
import { pageFrame } from "./page_frame.ts";

/** One sweep's lanes on one page and link. */
interface Point {
  readonly sweep: Sweep;
  readonly lanes: readonly LaneSummary[];
}

interface Track {
  readonly page: string;
  readonly link: string;
  readonly points: readonly Point[];
}

const maxTracks = 100;

const dayOf = ({ created_at }: Sweep): string => created_at.slice(0, 10);
/** Of the site under test, where continuous integration named it. */
function commitOf({ environment }: Sweep): string | null {
  const { commit } = environment as { readonly commit?: unknown };
  return typeof commit === "string" && commit !== "" ? commit.slice(0, 8) : null;
}

function tracksOf(results: Results, sweeps: readonly Sweep[], metric: MetricChoice): Track[] {
  const points = sweeps.flatMap((sweep) => {
    const loads = samplesOf(results.loadsOf(sweep.id), metric);
    return groupsOf(results.cellsOf(sweep.id), loads).map(({ page, link, loads: own }) => ({
      ...{ page, link },
      point: { sweep, lanes: summarize(own) },
    }));
  });
  return [...Map.groupBy(points, ({ page, link }) => JSON.stringify([page, link])).values()].flatMap((of) => {
    const [first] = of;
    return first ? [{ page: first.page, link: first.link, points: of.map(({ point }) => point) }] : [];
  });
}

const laneNames = ({ points }: Track): string[] => [
  ...new Set(points.flatMap(({ lanes }) => lanes.map(({ lane }) => lane))),
];
const laneIn = ({ lanes }: Point, lane: string): LaneSummary | undefined => lanes.find((each) => each.lane === lane);

/** What the newest sweep has that lies apart from the one before: intervals that share nothing. */
function changesOf(track: Track): string[] {
  const [before, last] = track.points.slice(-2);
  if (!before || !last) return [];
  return laneNames(track).flatMap((lane) => {
    const [old, now] = [laneIn(before, lane), laneIn(last, lane)];
    if (!old?.interval_ms || !now?.interval_ms || old.median_ms === null || now.median_ms === null) return [];
    const isSlower = now.interval_ms.low > old.interval_ms.high;
    if (!isSlower && now.interval_ms.high >= old.interval_ms.low) return [];
    const by = formatTime(Math.abs(now.median_ms - old.median_ms));
    return [
      `${lane} on ${track.page} (${track.link}) is ${by} ${isSlower ? "slower" : "faster"} than in the sweep before.`,
    ];
  });
}

const width = 960;
const height = 240;
const [left, right, top, bottom] = [64, width - 60, 16, height - 44] as const;

function trackFigure(track: Track, noun: string): Markup {
  const { page, link, points } = track;
  const values = points.flatMap(({ lanes }) =>
    lanes.flatMap(({ median_ms, interval_ms }) =>
      [median_ms, interval_ms?.low, interval_ms?.high].filter((ms) => typeof ms === "number"),
    ),
  );
  if (values.length === 0) return html`<p class="nothing">${page} over ${link}: no valid load.</p>`;
  const scale = roundScale(values, bottom, top, 5);
  const step = (right - left) / Math.max(1, points.length - 1);
  const names = laneNames(track);
  // Whiskers of lanes stand beside one another.
  const xOf = (index: number, lane: string): number =>
    (points.length === 1 ? (left + right) / 2 : left + index * step) +
    (names.indexOf(lane) - (names.length - 1) / 2) * 5;
  const drawn = names.map((lane) => {
    const known = points.flatMap((point, index) => {
      const { median_ms = null, interval_ms = null } = laneIn(point, lane) ?? {};
      return median_ms === null
        ? []
        : [{ x: xOf(index, lane), y: scale.at(median_ms), interval_ms, sweep: point.sweep, median_ms }];
    });
    const path = known.map(({ x, y }, index) => `${index === 0 ? "M" : "L"}${coordinate(x)} ${coordinate(y)}`).join("");
    const marks = known.map(
      ({ x, y, interval_ms, sweep, median_ms }) =>
        html`${interval_ms && html`<line class="whisker" x1="${coordinate(x)}" x2="${coordinate(x)}" y1="${coordinate(scale.at(interval_ms.low))}" y2="${coordinate(scale.at(interval_ms.high))}"/>`}<circle class="dot" cx="${coordinate(x)}" cy="${coordinate(y)}" r="4"><title>${lane}, sweep ${String(sweep.id)}, ${dayOf(sweep)}: ${formatMedian(median_ms, false)}${interval_ms && ` (${formatTimeRange(interval_ms)})`}</title></circle>`,
    );
    const end = known.at(-1);
    return html`<g class="${laneClass(lane, names)}"><path class="trendline" d="${path}"/>${marks}${end && html`<text class="lane" x="${coordinate(end.x + 9)}" y="${coordinate(end.y + 4)}">${lane}</text>`}</g>`;
  });
  const grid = acrossGrid(scale, left, right, { numbers: 8 });
  const every = Math.ceil(points.length / 9);
  const dates = points.map(({ sweep }, index) => {
    if ((points.length - 1 - index) % every !== 0) return null;
    const x = coordinate(points.length === 1 ? (left + right) / 2 : left + index * step);
    return html`<text class="axis mid" x="${x}" y="${bottom + 18}">${dayOf(sweep)}</text><text class="axis mid" x="${x}" y="${bottom + 33}">${commitOf(sweep) ?? `sweep ${sweep.id}`}</text>`;
  });
  const label = `Median ${noun} of ${page} over ${link} in ${count(points.length, "sweep")}, by lane`;
  const figure = html`<figure class="trend"><h3>${page} over ${link}</h3>${drawing({ look: "wide", label, width, height }, html`${grid}${drawn}${dates}<text class="axis" x="0" y="12">ms</text>`)}<figcaption>Median ${noun} of each sweep, oldest first; whiskers: 95 % interval.</figcaption></figure>`;
  return savedFigure(figure, {
    name: ["trend", page, "over", link],
    columns: ["sweep", "date", "commit", "lane", "valid", "median_ms", "low_ms", "high_ms"],
    rows: points.flatMap(({ sweep, lanes }) =>
      lanes.map(({ lane, valid, median_ms, interval_ms }) => [
        ...[sweep.id, sweep.created_at, commitOf(sweep), lane, valid, median_ms],
        ...endsOf(interval_ms),
      ]),
    ),
  });
}

/** Which sweeps these are, and where the plan changed between two. */
function sweepsTable(sweeps: readonly Sweep[], results: Results): Markup {
  const rows = sweeps.map((sweep, index) => {
    const isChanged = index > 0 && sweeps[index - 1]?.plan_digest !== sweep.plan_digest;
    return html`<tr><th scope="row">${String(sweep.id)}</th><td>${sweep.created_at.slice(0, 16).replace("T", " ")}</td><td>${commitOf(sweep) ?? "–"}</td><td class="num">${String(results.loadsOf(sweep.id).length)}</td><td>${isChanged && "plan or recordings changed"}</td></tr>`;
  });
  return html`<div class="scroll"><table><thead><tr><th scope="col">sweep</th><th scope="col">began (UTC)</th><th scope="col">commit</th><th scope="col" class="num">loads</th><th scope="col">note</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}

interface Trend {
  readonly document: string;
  readonly newest: number;
  readonly loads: number;
}

/** @throws UserError if no sweep of pages has that name */
export function trendOf(results: Results, name: string, metric: MetricChoice = usualMetric): Trend {
  const sweeps = results
    .listSweeps()
    .filter((sweep) => sweep.name === name)
    .toSorted((a, b) => a.id - b.id);
  const newest = sweeps.at(-1);
  if (!newest)
    throw new UserError(`no sweep of pages is named ${JSON.stringify(name)}: \`trilane list\` has their names`);
  const tracks = tracksOf(results, sweeps, metric);
  const { noun } = comparedMetric(metric);
  const changes = tracks.flatMap(changesOf);
  const before = sweeps.at(-2);
  const answer =
    before === undefined
      ? "One sweep so far: a trend takes two."
      : changes.length === 0
        ? "No median lies apart from the sweep before."
        : changes.length === 1 && changes[0] !== undefined
          ? changes[0]
          : `${count(changes.length, "median")} lie apart from the sweep before.`;
  const test =
    before &&
    html`<p class="soft">To test it: <code>trilane compare ${String(before.id)} ${String(newest.id)}</code></p>`;
  const left = tracks.length - maxTracks;
  const document = pageFrame({
    title: `${name}: ${answer}`,
    version,
    header: html`<h1>Trilane · ${name} · ${count(sweeps.length, "sweep")}</h1>`,
    first: html`<div class="verdict"><p class="answer">${answer}</p></div>${changes.length > 1 && html`<ul>${changes.slice(0, 20).map((line) => html`<li>${line}</li>`)}</ul>`}${test}`,
    sections: [
      {
        ...{ id: "trend", name: "Trend", heading: `Median ${noun} over time` },
        body: html`${tracks.slice(0, maxTracks).map((track) => trackFigure(track, noun))}${left > 0 && html`<p>and ${count(left, "more page on a link", "more pages on links")}.</p>`}`,
      },
      { id: "sweeps", name: "Sweeps", heading: "The sweeps", body: sweepsTable(sweeps, results) },
    ],
  });
  return { document, newest: newest.id, loads: sweeps.reduce((sum, { id }) => sum + results.loadsOf(id).length, 0) };
}
