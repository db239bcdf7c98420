// What one lane gains over another by the links' round-trip time: a line for each pair, an interval at each point. Draws given comparisons.

import { acrossGrid, drawing, numbersAt } from "../../../extension/figures/axes.ts";
import { laneClass } from "../../../extension/figures/colours.ts";
import { coordinate, html, type Markup } from "../../../extension/figures/markup.ts";
import { roundScale, scaleFromZero } from "../../../extension/figures/scale.ts";
import { endsOf } from "../../base/interval.ts";
import { laneName } from "../../base/lanes.ts";
import { direction } from "../../results/verdict/comparison.ts";
import type { RttGain, RttGains } from "../../results/verdict/gains_by_link_and_rtt.ts";
import { savedFigure } from "./figure_file.ts";
import { labelPlaces } from "./label_places.ts";
import { improvementText } from "./whisker.ts";

const height = 260;
// Names of pairs stand at the right ends of their lines: beyond `right` there is room for the longest.
const [left, right, top, bottom] = [56, 540, 26, height - 44] as const;
const letter = 6.7;
const widthFor = (names: readonly string[]): number =>
  right + Math.max(180, Math.ceil(24 + letter * Math.max(...names.map(({ length }) => length))));
/** Whiskers of pairs stand beside one another. */
const apart = 7;

const nameOf = ({ pair }: RttGains): string => `${laneName(pair.lane)} over ${laneName(pair.over)}`;

const finite = (values: readonly (number | null | undefined)[]): number[] =>
  values.filter((value) => typeof value === "number" && Number.isFinite(value)) as number[];

/** Null: no pair has two round-trip times. */
export function rttFigure(all: readonly RttGains[]): Markup | null {
  if (all.length === 0) return null;
  const width = widthFor(all.map(nameOf));
  const points = all.flatMap(({ gains }) => gains);
  const values = points.flatMap(({ result: { percent, interval } }) =>
    finite([percent, interval?.low, interval?.high]),
  );
  const y = roundScale([...values, 0], bottom, top, 6);
  const within = (value: number): number => coordinateOf(y.at(Math.max(y.low, Math.min(y.high, value))));
  const rtts = [...new Set(points.map(({ rtt_ms }) => rtt_ms))].toSorted((a, b) => a - b);
  const x = scaleFromZero(rtts.at(-1) ?? 0, left, right, 8);
  const lanes = all.map(({ pair }) => pair.lane);
  const xOf = (rtt_ms: number, index: number): number =>
    coordinateOf(x.at(rtt_ms) + (index - (all.length - 1) / 2) * apart);
  const ends = labelPlaces(
    all.map(({ gains }) => within(gains.at(-1)?.result.percent ?? 0)),
    15,
    top,
    bottom,
  );
  const lines = all.map((each, index) => {
    const at = ({ rtt_ms, result }: RttGain): string => `${xOf(rtt_ms, index)} ${within(result.percent ?? 0)}`;
    // Of two pairs of one lane the second is dashed.
    const isSecond = lanes.indexOf(each.pair.lane) < index;
    const marks = each.gains.map((gain) => {
      const { percent, interval } = gain.result;
      const [px, py] = [xOf(gain.rtt_ms, index), within(percent ?? 0)];
      const whisker =
        interval &&
        html`<line class="lanewhisker" x1="${px}" x2="${px}" y1="${within(interval.low)}" y2="${within(interval.high)}"/>`;
      return html`${whisker}<circle class="flowpoint" cx="${px}" cy="${py}" r="4"><title>${nameOf(each)}, ${String(gain.rtt_ms)} ms: ${improvementText(gain.result)}</title></circle>`;
    });
    const end = each.gains.at(-1);
    const name =
      end && html`<text x="${xOf(end.rtt_ms, index) + 12}" y="${(ends[index] ?? 0) + 4}">${nameOf(each)}</text>`;
    return html`<g class="${laneClass(each.pair.lane)}"><path class="cdf${isSecond && " second"}" d="M${each.gains.map(at).join("L")}"/>${marks}${name}</g>`;
  });
  const grid = acrossGrid(y, left, right, { numbers: 8, hasZero: true });
  const ticks = numbersAt({ ticks: rtts, at: x.at }, bottom + 18);
  const label = `Time saved by round-trip time: ${all.map((each) => `${nameOf(each)} ${each.gains.map(({ rtt_ms, result }) => `${improvementText(result)} at ${rtt_ms} ms`).join(", ")}`).join("; ")}`;
  const drawn = drawing(
    { look: "plot effects", label, width, height },
    html`${grid}${ticks}${lines}<text class="axis" x="0" y="12">time saved, %</text><text class="axis mid" x="${(left + right) / 2}" y="${height - 8}">RTT, ms</text>`,
  );
  const figure = html`<figure class="rtt-lines"><h3>The gain over RTT</h3>${drawn}<figcaption>Time saved on all links of each RTT; whiskers: 95 % interval. Exploratory.</figcaption></figure>`;
  return savedFigure(figure, {
    name: ["gain-over-rtt"],
    columns: [
      "rtt_ms",
      "lane",
      "over",
      "links",
      "pages",
      "improvement_percent",
      "low_percent",
      "high_percent",
      "shown",
    ],
    rows: all.flatMap(({ pair, gains }) =>
      gains.map(({ rtt_ms, result: { percent, interval, links, pages }, result }) => [
        ...[rtt_ms, pair.lane, pair.over, links, pages, percent],
        ...[...endsOf(interval), direction(result)],
      ]),
    ),
  });
}

const coordinateOf = (value: number): number => Number(coordinate(value));
