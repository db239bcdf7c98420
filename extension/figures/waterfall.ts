// The requests of loads or profiles under one time axis: phases by colour and by shape, with protocol and connection. Draws
// them as they were stored; what a phase is, is the capture's matter.

import { labelParts, laneFacts } from "../../cli/base/lanes.ts";
import { middleCut } from "../../cli/base/middle_cut.ts";
import { count, formatSize, formatTime } from "../../cli/base/numbers.ts";
import { extremes } from "../../cli/base/quantile.ts";
import type { HarEntry, PageLoad } from "../../schemas/generated/page_load.ts";
import { numbersAt, uprightGrid } from "./axes.ts";
import { laneClass, type PhaseKey, phases } from "./colours.ts";
import { coordinate, fitted, html, type Markup } from "./markup.ts";
import { hatched, phaseLegend, shapes } from "./phase_shapes.ts";
import { connectionNumbers, phasesOf, protocolOf, shortUrl } from "./request.ts";
import { type Scale, scaleFromZero } from "./scale.ts";
import { kindOf } from "./share_colours.ts";

export interface DrawnLoad {
  readonly id: number;
  readonly lane: string;
  readonly pageLoad: PageLoad;
}

/** One waterfall: a lane's load, or a profile. */
export interface DrawnRequests {
  /** The lane's name; of a profile what it is called. */
  readonly label: string;
  /** Beside the label. */
  readonly aside: string;
  readonly entries: readonly HarEntry[];
  readonly plt_ms: number | null;
  /** Of the link, downwards: how long a chunk of bytes took. Unknown for a profile. */
  readonly rate_bps?: number | undefined;
  /** Moments of the page on the same axis, by their usual names; the load event is plt_ms. */
  readonly marks?: readonly Mark[];
}

export interface Mark {
  readonly name: "TTFB" | "FCP" | "LCP" | "DCL";
  readonly time_ms: number;
}

/** Those that the load has. */
export function marksOf({ ttfb_ms, fcp_ms, lcp_ms, dcl_ms }: PageLoad["log"]["_trilane"]["metrics"]): Mark[] {
  const all = [
    { name: "TTFB", time_ms: ttfb_ms },
    { name: "FCP", time_ms: fcp_ms },
    { name: "LCP", time_ms: lcp_ms },
    { name: "DCL", time_ms: dcl_ms },
  ] as const;
  return all.flatMap(({ name, time_ms }) => (typeof time_ms === "number" ? [{ name, time_ms }] : []));
}

export const width = 960;
const labelWidth = 250;
const laneWidth = 78;
/** Where the time axis begins and ends. */
export const axisLeft = labelWidth + laneWidth;
export const axisRight = width - 12;
const labelSize = 10.5;
// After the longest lane name.
const titleLeft = 122;

/** Whether a request was answered on a protocol that is not its lane's, by the word of browser or server. */
function isOffLane(lane: string, { _protocol, _trilane: { served } }: HarEntry): boolean {
  const parts = labelParts(lane);
  if (!parts) return false;
  const { protocols } = laneFacts[parts.lane];
  return [_protocol, served?.protocol].some((protocol) => protocol && !protocols.includes(protocol));
}

/** `requested by script app.js:12`; empty if the browser does not say. */
function initiatorOf({ _initiator }: HarEntry): string {
  const { type, url, lineNumber } = _initiator ?? {};
  if (url === undefined || url === "") return "";
  return `requested by ${type} ${middleCut(shortUrl(url).file, 60)}${lineNumber === undefined ? "" : `:${lineNumber + 1}`}`;
}

/** A request in one line, for who points at it or has it read out. */
function storyOf(entry: HarEntry, connection: number | undefined): string {
  const spans = phasesOf(entry).map(
    ({ key, duration_ms }) => `${phases.find((phase) => phase.key === key)?.label} ${formatTime(duration_ms)}`,
  );
  const { status, _error, _transferSize } = entry.response;
  const parts = [
    middleCut(entry.request.url, 160),
    `${_error ?? String(status)}, ${protocolOf(entry)}${connection ? ` on connection ${connection}` : ", no connection"}`,
    _transferSize >= 0 ? formatSize(_transferSize) : "",
    `starts at ${formatTime(entry._trilane.startOffset_ms)}: ${spans.join(", ") || "no phases"}`,
    initiatorOf(entry),
    entry._trilane.match === undefined || entry._trilane.match === "exact" ? "" : `match: ${entry._trilane.match}`,
  ];
  return parts.filter(Boolean).join(" | ");
}

interface Row {
  readonly entry: HarEntry;
  readonly label: string;
  readonly lane: string;
  readonly offLane: boolean;
  readonly story: string;
  readonly host: string;
  readonly kind: string;
  /** The same in all waterfalls of a figure: of one method and URL. */
  readonly request: number;
  /** The row that requested it; null: the browser does not say, or it is not there. */
  readonly by: number | null;
}

function rowsOf(drawn: DrawnRequests, requests: Map<string, number>): Row[] {
  const numberOf = ({ request }: HarEntry): number => {
    const key = `${request.method} ${request.url}`;
    const known = requests.get(key) ?? requests.size;
    requests.set(key, known);
    return known;
  };
  const entries = drawn.entries.toSorted((a, b) => a._trilane.startOffset_ms - b._trilane.startOffset_ms);
  const connections = connectionNumbers(entries);
  const hosts = new Set(entries.map((entry) => shortUrl(entry.request.url).host));
  const placeOf = new Map(entries.map(({ request }, index) => [request.url, index] as const).reverse());
  return entries.map((entry, index) => {
    const by = placeOf.get(entry._initiator?.url ?? "") ?? null;
    const { host, file } = shortUrl(entry.request.url);
    const connection = connections.get(entry._connectionId ?? entry.connection ?? "");
    const protocol = protocolOf(entry);
    return {
      entry,
      label: fitted(hosts.size > 1 ? `${host} ${file}` : file, labelWidth - 10, labelSize),
      lane: connection ? `${protocol} · ${connection}` : protocol,
      offLane: isOffLane(drawn.label, entry),
      story: storyOf(entry, connection),
      host,
      kind: kindOf(entry._resourceType),
      request: numberOf(entry),
      by: by === index ? null : by,
    };
  });
}

/** A bar's parts: its phases; `awaited`: receiving, if it is known when the bytes came; `came`: these. */
type BarPart = PhaseKey | "awaited" | "came";

interface Span {
  readonly key: BarPart;
  readonly start_ms: number;
  readonly duration_ms: number;
}

/** When each chunk of a body was on its way: it ends with its arrival, and is as long as the link takes for it. */
function arrivalsOf({ _trilane: { arrivals = [], startOffset_ms }, response }: HarEntry, rate_bps = Infinity): Span[] {
  const decoded = arrivals.reduce((sum, value, index) => sum + (index % 2 === 1 ? value : 0), 0);
  const packed = response._transferSize > 0 ? Math.min(1, response._transferSize / decoded) : 1;
  let last_ms = 0;
  return arrivals.flatMap((at_ms, index) => {
    if (index % 2 === 1) return [];
    const took_ms = ((arrivals[index + 1] ?? 0) * packed * 8000) / rate_bps;
    const from_ms = Math.max(last_ms, at_ms - took_ms);
    last_ms = at_ms;
    return [{ key: "came" as const, start_ms: startOffset_ms + from_ms, duration_ms: at_ms - from_ms }];
  });
}

function barParts(entry: HarEntry, rate_bps: number | undefined): Span[] {
  const arrivals = arrivalsOf(entry, rate_bps);
  const spans = phasesOf(entry).map(
    (phase): Span => (phase.key === "receive" && arrivals.length > 0 ? { ...phase, key: "awaited" } : phase),
  );
  return [...spans, ...arrivals];
}

/** All bars of a part as one path: far smaller than a rectangle each. */
function barPaths(
  rows: readonly Row[],
  rate_bps: number | undefined,
  scale: Scale,
  top: number,
  rowHeight: number,
): Markup[] {
  const bar = rowHeight - (rowHeight > 8 ? 3 : 1.4);
  const drawn = new Map<BarPart, string>();
  rows.forEach((row, index) => {
    for (const { key, start_ms, duration_ms } of barParts(row.entry, rate_bps)) {
      const { from, to } = shapes[key === "awaited" || key === "came" ? "receive" : key];
      const y = top + index * rowHeight + (rowHeight - bar) / 2 + bar * from;
      const length = Math.max(key === "came" ? 1 : 0.4, scale.at(start_ms + duration_ms) - scale.at(start_ms));
      const x = key === "came" ? scale.at(start_ms + duration_ms) - length : scale.at(start_ms);
      const box = `M${coordinate(x)} ${coordinate(y)}h${coordinate(length)}v${coordinate(bar * (to - from))}h-${coordinate(length)}z`;
      drawn.set(key, (drawn.get(key) ?? "") + box);
    }
  });
  const part = (key: BarPart, markup: (path: string) => Markup): Markup | null => {
    const path = drawn.get(key);
    return path === undefined ? null : markup(path);
  };
  const bars = phases.map(({ key }) =>
    part(
      key,
      (path) =>
        html`<path class="ph-${key}" d="${path}"/>${hatched.has(key) && html`<path fill="url(#hatch-${key})" d="${path}"/>`}`,
    ),
  );
  const awaited = part("awaited", (path) => html`<path class="ph-receive awaited" d="${path}"/>`);
  const came = part("came", (path) => html`<path class="ph-receive" d="${path}"/>`);
  return [...bars, awaited, came].filter((markup) => markup !== null);
}

/** Rows are as high as their number allows; where text does not fit every row, every second or third has it. */
function rowHeightFor(rows: number): number {
  return rows <= 30 ? 17 : rows <= 80 ? 13 : rows <= 150 ? 9 : 6;
}

/** Names closer than this would lie on one another: they share a label. */
const labelGap = 30;

/** Lines through a lane's rows with their names below; the load event's is stronger. */
function marksMarkup({ plt_ms, marks = [] }: DrawnRequests, scale: Scale, top: number, bottom: number): Markup {
  const line = (kind: string, time_ms: number): Markup =>
    html`<line class="${kind}" x1="${scale.at(time_ms)}" x2="${scale.at(time_ms)}" y1="${top}" y2="${bottom + 2}"/>`;
  const named: { readonly name: string; readonly time_ms: number }[] = [...marks];
  if (plt_ms !== null) named.push({ name: "load", time_ms: plt_ms });
  const labels: { x: number; names: string[] }[] = [];
  for (const { name, time_ms } of named.sort((a, b) => a.time_ms - b.time_ms)) {
    const x = scale.at(time_ms);
    const last = labels.at(-1);
    if (last && x - last.x < labelGap + 26 * (last.names.length - 1)) last.names.push(name);
    else labels.push({ x, names: [name] });
  }
  const texts = labels.map(
    ({ x, names }) =>
      html`<text class="${x > axisRight - 60 ? "markname end" : "markname"}" x="${Math.min(x, axisRight)}" y="${bottom + 12}">${names.join(", ")}</text>`,
  );
  return html`${marks.map(({ time_ms }) => line("mark", time_ms))}${plt_ms !== null && line("loadevent", plt_ms)}${marks.length > 0 && texts}`;
}

function laneMarkup(
  drawn: DrawnRequests,
  rows: readonly Row[],
  scale: Scale,
  top: number,
): { markup: Markup; height: number } {
  const { label, aside } = drawn;
  const rowHeight = rowHeightFor(rows.length);
  const every = Math.ceil(12 / rowHeight);
  const body = top + 24;
  const bottom = body + rows.length * rowHeight;
  const labels = rows.map((row, index) => {
    if (index % every !== 0) return null;
    const y = body + index * rowHeight + Math.max(rowHeight, 10) / 2 + 4;
    const lane = fitted(row.lane, laneWidth - 8, labelSize);
    return html`<text class="url" x="0" y="${y}">${row.label}</text><text class="${row.offLane ? "conn off" : "conn"}" x="${labelWidth}" y="${y}">${lane}</text>`;
  });
  const hits = rows.map(
    (row, index) =>
      html`<rect class="hit" data-host="${row.host}" data-type="${row.kind}" data-request="${row.request}"${row.by !== null && html` data-by="${row.by}"`} x="0" y="${body + index * rowHeight}" width="${width}" height="${rowHeight}"><title>${row.story}</title></rect>`,
  );
  const grid = uprightGrid(scale, body, bottom, { numbers: null });
  const markup = html`<g class="${laneClass(label)}" data-body="${body}" data-row="${rowHeight}" data-rows="${rows.length}">${labelParts(label) && html`<rect class="swatch" x="0" y="${top + 4}" width="12" height="12"/>`}<text class="lane" x="${labelParts(label) ? 18 : 0}" y="${top + 15}">${label}</text><text class="aside" x="${titleLeft}" y="${top + 15}">${aside}</text>${grid}${labels}${barPaths(rows, drawn.rate_bps, scale, body, rowHeight)}${marksMarkup(drawn, scale, top + 20, bottom)}${hits}</g>`;
  return { markup, height: bottom + 20 - top };
}

/** A lane's load as it is drawn. */
function drawnLoad({ id, lane, pageLoad }: DrawnLoad): DrawnRequests {
  const { metrics, counts, link } = pageLoad.log._trilane;
  const { entries } = pageLoad.log;
  const { plt_ms } = metrics;
  const aside = `PLT ${plt_ms === null ? "none" : formatTime(plt_ms)}, ${count(entries.length, "request")} on ${count(counts.connections, "connection")}, ${formatSize(counts.bytes)}, load ${id}`;
  return { label: lane, aside, entries, plt_ms, marks: marksOf(metrics), rate_bps: link.down.rate_bps ?? undefined };
}

function timeAxis(all: readonly DrawnRequests[]): Scale {
  const ends = all.flatMap((drawn) => [
    drawn.plt_ms ?? 0,
    ...drawn.entries.map((entry) =>
      phasesOf(entry).reduce((end, phase) => Math.max(end, phase.start_ms + phase.duration_ms), 0),
    ),
  ]);
  return scaleFromZero(extremes(ends)?.greatest ?? 0, axisLeft, axisRight);
}

/** The axis on which waterfallFigure() draws these loads. */
export function timeAxisOf(loads: readonly DrawnLoad[]): Scale {
  return timeAxis(loads.map(drawnLoad));
}

/** For the page's script, which draws a line at a moment: where 0 ms is, and how long a millisecond. */
export const timeScale = (scale: Pick<Scale, "at">): Markup =>
  html` data-zero="${coordinate(scale.at(0))}" data-ms="${String(Number((scale.at(1) - scale.at(0)).toPrecision(6)))}"`;

/** Waterfalls below each other, with the same axis above and below: the drawing alone. `attributes` go to the svg element. */
export function waterfallSvg(all: readonly DrawnRequests[], attributes: Markup): Markup {
  const requests = new Map<string, number>();
  const rows = all.map((drawn) => rowsOf(drawn, requests));
  const scale = timeAxis(all);
  let y = 26;
  const drawings = all.map((drawn, index) => {
    const { markup, height } = laneMarkup(drawn, rows[index] ?? [], scale, y);
    y += height;
    return markup;
  });
  const height = y + 22;
  return html`<svg class="wide" ${attributes}${timeScale(scale)} viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"><text class="axis" x="0" y="14">request</text><text class="axis" x="${labelWidth}" y="14">connection</text>${numbersAt(scale, 14)}${drawings}${numbersAt(scale, y + 8)}<text class="axis end" x="${axisRight}" y="${y + 20}">ms since navigation start</text></svg>`;
}

const waterfallWords =
  ", on one time axis. Lines: first byte, paints, DOMContentLoaded; strong: load event. Receiving is strong while bytes came. “h2 · 1”: protocol and connection, numbered by first use. Ctrl and wheel zoom";

/** Waterfalls of one load per lane. `isExplained`: with what lines and labels mean. */
export function waterfallFigure(loads: readonly DrawnLoad[], name: string, isExplained = true): Markup {
  const attributes = html`role="img" tabindex="0" aria-label="Waterfalls of ${name}: use the arrow keys to read request by request, plus and minus to zoom"`;
  return html`<figure class="waterfall"><div class="scroll">${waterfallSvg(loads.map(drawnLoad), attributes)}</div><p class="readout" aria-live="polite"></p>${phaseLegend()}<figcaption>The load nearest each lane’s median${isExplained && waterfallWords}.</figcaption></figure>`;
}
