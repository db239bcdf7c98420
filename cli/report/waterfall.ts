// The requests of one load per lane under one time axis: phases by colour and by shape, with protocol and connection. Draws
// page loads as they were stored; what a phase is, is the capture's matter.
import type { HarEntry, PageLoad } from "../../schemas/generated/page_load.ts";
import { isLane, laneFacts } from "../lanes.ts";
import { count, formatSize, formatTime } from "../stats/numbers.ts";
import { type PhaseKey, phases } from "./colours.ts";
import { coordinate, fitted, html, type Markup, middleCut } from "./markup.ts";
import { type Scale, scaleFromZero } from "./scale.ts";

export interface DrawnLoad {
  readonly id: number;
  readonly lane: string;
  readonly pageLoad: PageLoad;
}

const width = 960;
const labelWidth = 250;
const laneWidth = 78;
const left = labelWidth + laneWidth;
const right = width - 12;
const labelSize = 10.5;
// After the longest lane name.
const titleLeft = 122;

/** Phases in order; HAR's connect includes ssl. */
export function phasesOf(entry: HarEntry): { key: PhaseKey; start_ms: number; duration_ms: number }[] {
  const { timings } = entry;
  const durations: Record<PhaseKey, number> = {
    blocked: timings.blocked,
    dns: timings.dns,
    connect: timings.connect >= 0 ? timings.connect - Math.max(0, timings.ssl) : -1,
    ssl: timings.ssl,
    send: timings.send,
    wait: timings.wait,
    receive: timings.receive,
  };
  let start_ms = entry._trilane.startOffset_ms;
  return phases.flatMap(({ key }) => {
    const duration_ms = durations[key];
    if (!(duration_ms > 0)) return [];
    const phase = { key, start_ms, duration_ms };
    start_ms += duration_ms;
    return [phase];
  });
}

const shortProtocols: Readonly<Record<string, string>> = { "http/1.1": "h1", "http/1.0": "h1.0" };

/** Whether a request was answered on a protocol that is not its lane's. */
function isOffLane(lane: string, entry: HarEntry): boolean {
  const protocol = entry._protocol ?? "";
  return protocol !== "" && isLane(lane) && !laneFacts[lane].protocols.includes(protocol);
}

export function protocolOf(entry: HarEntry): string {
  const protocol = entry._protocol ?? "";
  return shortProtocols[protocol] ?? (protocol || "none");
}

/** Connections are numbered in the order of their first request: ids of the browser mean nothing to a reader. */
function connectionNumbers(entries: readonly HarEntry[]): Map<string, number> {
  const numbers = new Map<string, number>();
  for (const entry of entries) {
    const id = entry._connectionId ?? entry.connection;
    if (id && id !== "0" && !numbers.has(id)) numbers.set(id, numbers.size + 1);
  }
  return numbers;
}

/** Host and file, or what there is of them. */
export function shortUrl(url: string): { host: string; file: string } {
  const parsed = URL.parse(url);
  if (!parsed?.host) return { host: "", file: url };
  const path = parsed.pathname.replace(/\/+$/, "");
  const file = path.slice(path.lastIndexOf("/") + 1) || "/";
  return { host: parsed.host, file: file + parsed.search };
}

interface Row {
  readonly entry: HarEntry;
  readonly label: string;
  readonly lane: string;
  readonly offLane: boolean;
  readonly story: string;
}

function rowsOf(load: DrawnLoad): Row[] {
  const entries = load.pageLoad.log.entries.toSorted((a, b) => a._trilane.startOffset_ms - b._trilane.startOffset_ms);
  const connections = connectionNumbers(entries);
  const hosts = new Set(entries.map((entry) => shortUrl(entry.request.url).host));
  return entries.map((entry) => {
    const { host, file } = shortUrl(entry.request.url);
    const connection = connections.get(entry._connectionId ?? entry.connection ?? "");
    const protocol = protocolOf(entry);
    const told = phasesOf(entry).map(
      ({ key, duration_ms }) => `${phases.find((phase) => phase.key === key)?.label} ${formatTime(duration_ms)}`,
    );
    const { status, _error, _transferSize } = entry.response;
    const outcome = _error ?? String(status);
    const parts = [
      middleCut(entry.request.url, 160),
      `${outcome}, ${protocol}${connection ? ` on connection ${connection}` : ", no connection"}`,
      _transferSize >= 0 ? formatSize(_transferSize) : "",
      `starts at ${formatTime(entry._trilane.startOffset_ms)}: ${told.join(", ") || "no phases"}`,
      entry._trilane.match === undefined || entry._trilane.match === "exact" ? "" : `match: ${entry._trilane.match}`,
    ];
    return {
      entry,
      label: fitted(hosts.size > 1 ? `${host} ${file}` : file, labelWidth - 10, labelSize),
      lane: connection ? `${protocol} · ${connection}` : protocol,
      offLane: isOffLane(load.lane, entry),
      story: parts.filter(Boolean).join(" | "),
    };
  });
}

/** Heights as shares of the bar: shape tells phases apart where colour does not. */
const shapes: Readonly<Record<PhaseKey, { from: number; to: number }>> = {
  blocked: { from: 0.4, to: 0.6 },
  dns: { from: 0, to: 1 },
  connect: { from: 0, to: 1 },
  ssl: { from: 0, to: 1 },
  send: { from: 0.1, to: 0.9 },
  wait: { from: 0.22, to: 0.78 },
  receive: { from: 0, to: 1 },
};
const hatched: ReadonlySet<PhaseKey> = new Set(["dns", "connect", "ssl"]);

/** All bars of a phase as one path: far smaller than a rectangle each. */
function phasePaths(rows: readonly Row[], scale: Scale, top: number, rowHeight: number): Markup[] {
  const bar = rowHeight - (rowHeight > 8 ? 3 : 1.4);
  const drawn = new Map<PhaseKey, string>();
  rows.forEach((row, index) => {
    for (const { key, start_ms, duration_ms } of phasesOf(row.entry)) {
      const { from, to } = shapes[key];
      const y = top + index * rowHeight + (rowHeight - bar) / 2 + bar * from;
      const x = scale.at(start_ms);
      const length = Math.max(0.4, scale.at(start_ms + duration_ms) - x);
      const box = `M${coordinate(x)} ${coordinate(y)}h${coordinate(length)}v${coordinate(bar * (to - from))}h-${coordinate(length)}z`;
      drawn.set(key, (drawn.get(key) ?? "") + box);
    }
  });
  return phases.flatMap(({ key }) => {
    const path = drawn.get(key);
    if (!path) return [];
    const base = html`<path class="ph-${key}" d="${path}"/>`;
    return hatched.has(key) ? [base, html`<path fill="url(#hatch-${key})" d="${path}"/>`] : [base];
  });
}

/** Rows are as high as their number allows; where text does not fit every row, every second or third has it. */
function rowHeightFor(rows: number): number {
  return rows <= 30 ? 17 : rows <= 80 ? 13 : rows <= 150 ? 9 : 6;
}

function laneMarkup(
  load: DrawnLoad,
  rows: readonly Row[],
  scale: Scale,
  top: number,
): { markup: Markup; height: number } {
  const rowHeight = rowHeightFor(rows.length);
  const every = Math.ceil(12 / rowHeight);
  const { plt_ms } = load.pageLoad.log._trilane.metrics;
  const { connections, bytes } = load.pageLoad.log._trilane.counts;
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
      html`<rect class="hit" x="0" y="${body + index * rowHeight}" width="${width}" height="${rowHeight}"><title>${row.story}</title></rect>`,
  );
  const plt =
    plt_ms !== null &&
    html`<line class="loadevent" x1="${scale.at(plt_ms)}" x2="${scale.at(plt_ms)}" y1="${top + 20}" y2="${bottom + 2}"/>`;
  const grid = scale.ticks.map(
    (tick) => html`<line class="grid" x1="${scale.at(tick)}" x2="${scale.at(tick)}" y1="${body}" y2="${bottom}"/>`,
  );
  const title = `PLT ${plt_ms === null ? "none" : formatTime(plt_ms)}, ${count(rows.length, "request")} on ${count(connections, "connection")}, ${formatSize(bytes)}, load ${load.id}`;
  const markup = html`<g class="lane-${load.lane}"><rect class="swatch" x="0" y="${top + 4}" width="12" height="12"/><text class="lane" x="18" y="${top + 15}">${load.lane}</text><text class="told" x="${titleLeft}" y="${top + 15}">${title}</text>${grid}${labels}${phasePaths(rows, scale, body, rowHeight)}${plt}${hits}</g>`;
  return { markup, height: bottom + 14 - top };
}

/** Waterfalls of one load per lane, below each other, with the same axis above and below. */
export function waterfallFigure(loads: readonly DrawnLoad[], name: string): Markup {
  const rows = loads.map(rowsOf);
  const ends = rows.flatMap((laneRows, index) => [
    loads[index]?.pageLoad.log._trilane.metrics.plt_ms ?? 0,
    ...laneRows.map(({ entry }) =>
      phasesOf(entry).reduce((end, phase) => Math.max(end, phase.start_ms + phase.duration_ms), 0),
    ),
  ]);
  const scale = scaleFromZero(Math.max(0, ...ends), left, right);
  const axis = (y: number): Markup =>
    html`${scale.ticks.map((tick) => html`<text class="axis mid" x="${scale.at(tick)}" y="${y}">${String(tick)}</text>`)}`;
  let y = 26;
  const lanes = loads.map((load, index) => {
    const drawn = laneMarkup(load, rows[index] ?? [], scale, y);
    y += drawn.height;
    return drawn.markup;
  });
  const height = y + 22;
  return html`<figure class="waterfall"><div class="scroll"><svg class="wide" role="img" tabindex="0" aria-label="Waterfalls of ${name}: use the arrow keys to read request by request" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"><text class="axis" x="0" y="14">request</text><text class="axis" x="${labelWidth}" y="14">connection</text>${axis(14)}${lanes}${axis(y + 8)}<text class="axis end" x="${right}" y="${y + 20}">ms since navigation start</text></svg></div><p class="readout" aria-live="polite"></p>${phaseLegend()}<figcaption>One load of each lane, the one closest to its lane's median, on one time axis: ${loads
    .map((load) => `${load.lane} load ${load.id}`)
    .join(
      ", ",
    )}. Vertical line: load event. “h2 · 1” is protocol and connection, numbered by first use.</figcaption></figure>`;
}

/** What colours and shapes of a waterfall mean. */
export function phaseLegend(): Markup {
  const step = 82;
  const items = phases.map(({ key, label }, index) => {
    const { from, to } = shapes[key];
    const [x, y, h] = [index * step, 3 + 12 * from, 12 * (to - from)];
    const base = html`<rect class="ph-${key}" x="${x}" y="${y}" width="22" height="${h}"/>`;
    const hatch =
      hatched.has(key) && html`<rect fill="url(#hatch-${key})" x="${x}" y="${y}" width="22" height="${h}"/>`;
    return html`${base}${hatch}<text class="axis" x="${x + 27}" y="13">${label}</text>`;
  });
  return html`<svg class="legend" width="${step * phases.length}" height="18" viewBox="0 0 ${step * phases.length} 18" role="img" aria-label="Phases in order: ${phases.map((phase) => phase.label).join(", ")}">${items}</svg>`;
}

/** The patterns that every waterfall refers to: once in a document. */
export function hatchPatterns(): Markup {
  const lines: Record<string, string> = { dns: "M0 2h4", connect: "M0 4l4 -4", ssl: "M0 0l4 4" };
  const patterns = [...hatched].map(
    (key) =>
      html`<pattern id="hatch-${key}" width="4" height="4" patternUnits="userSpaceOnUse"><path class="hatch" d="${lines[key]}"/></pattern>`,
  );
  return html`<svg class="defs" width="0" height="0" aria-hidden="true"><defs>${patterns}</defs></svg>`;
}
