// One line of the list of requests as markup: its cells, and its bar within the window of time. Pure.
import { count, formatSize, formatTime } from "../../../cli/base/numbers.ts";
import { phases } from "../../figures/colours.ts";
import { coordinate, html, type Markup } from "../../figures/markup.ts";
import { hatched, shapes } from "../../figures/phase_shapes.ts";
import { shadeClass } from "../../figures/share_colours.ts";
import type { Window } from "./axis.ts";
import type { Line } from "./filter.ts";
import type { RequestRow } from "./rows.ts";

export const rowHeight_px = 24;
const barTop = 5;
const barHeight = 14;

export type ColourBy = "phase" | "protocol" | "kind";

export interface Drawing {
  readonly window: Window;
  readonly width_px: number;
  readonly colourBy: ColourBy;
}

/** Names of the columns, in order; the last one holds the bar. */
export const columns = ["Request", "Status", "Protocol", "Kind", "Size", "Time", "Waterfall"] as const;

/** What the bar says, for who cannot see it. */
function barWords(row: RequestRow): string {
  const parts = row.phases.map(
    ({ key, duration_ms }) => `${phases.find((phase) => phase.key === key)?.label} ${formatTime(duration_ms)}`,
  );
  return `from ${formatTime(Math.max(0, row.start_ms))}: ${parts.join(", ") || "no phases"}`;
}

function rectangle(x0: number, x1: number, from: number, to: number): string {
  return `M${coordinate(x0)} ${coordinate(barTop + barHeight * from)}h${coordinate(Math.max(0.6, x1 - x0))}v${coordinate(barHeight * (to - from))}H${coordinate(x0)}z`;
}

/** The paths of one row's bar, cut to the window. */
export function barMarkup(row: RequestRow, { window, width_px, colourBy }: Drawing): Markup {
  const scale = width_px / (window.to_ms - window.from_ms);
  const at = (time_ms: number): number => Math.max(-4, Math.min(width_px + 4, (time_ms - window.from_ms) * scale));
  const outside = (start_ms: number, end_ms: number): boolean => end_ms < window.from_ms || start_ms > window.to_ms;
  if (outside(row.start_ms, row.end_ms)) {
    // A mark at the edge says where the request is.
    const x = row.end_ms < window.from_ms ? 0 : width_px - 6;
    return html`<path class="beyond" d="${row.end_ms < window.from_ms ? `M${x + 6} 8l-5 4l5 4` : `M${coordinate(x)} 8l5 4l-5 4`}"/>`;
  }
  if (row.phases.length === 0) {
    const x = at(row.start_ms);
    return html`<path class="instant" d="M${coordinate(x)} ${String(barTop)}v${String(barHeight)}"/>`;
  }
  const parts = row.phases.filter(({ start_ms, duration_ms }) => !outside(start_ms, start_ms + duration_ms));
  if (colourBy !== "phase") {
    const shade = shadeClass(colourBy === "protocol" ? row.protocol : row.kind);
    return html`${parts.map(({ key, start_ms, duration_ms }) => {
      // Waiting for a connection stays thin and grey; what follows has the colour.
      const { from, to } = key === "blocked" ? shapes.blocked : { from: 0.1, to: 0.9 };
      const path = rectangle(at(start_ms), at(start_ms + duration_ms), from, to);
      return html`<path class="${key === "blocked" ? "ph-blocked" : `shade ${shade}${key === "receive" ? "" : " early"}`}" d="${path}"/>`;
    })}`;
  }
  return html`${parts.map(({ key, start_ms, duration_ms }) => {
    const { from, to } = shapes[key];
    const path = rectangle(at(start_ms), at(start_ms + duration_ms), from, to);
    return html`<path class="ph-${key}" d="${path}"/>${hatched.has(key) && html`<path fill="url(#hatch-${key})" d="${path}"/>`}`;
  })}`;
}

/** `h2 · 3`: protocol and connection. */
function protocolWords({ protocol, connection }: RequestRow): string {
  const short = protocol === "http/1.1" ? "h1" : protocol === "http/1.0" ? "h1.0" : protocol;
  return connection === null ? short : `${short} · ${connection}`;
}

export interface Place {
  /** Position in the list, from 0. */
  readonly index: number;
  readonly current: boolean;
  /** Whether hosts differ in this list. */
  readonly hosts: boolean;
  /** Of the list: two of them may be in one page. */
  readonly list: string;
}

function requestMarkup(row: RequestRow, { index, current, hosts, list }: Place, drawing: Drawing): Markup {
  const cell = (name: string, content: string | Markup, extra: Markup = html``): Markup =>
    html`<span role="gridcell" class="c ${name}"${extra}>${content}</span>`;
  const name = html`<b>${row.file}</b>${hosts && html` <i>${row.host}</i>`}`;
  const size = row.bytes < 0 ? "–" : row.bytes === 0 && row.entry._fromCache ? "cache" : formatSize(row.bytes);
  const width = String(Math.max(1, Math.round(drawing.width_px)));
  return html`<div role="row" id="${lineId({ is: "request", row }, list)}" class="r${current && " at"}${row.failed && " failed"}" style="top:${String(index * rowHeight_px)}px" aria-rowindex="${String(index + 2)}" aria-selected="${current ? "true" : "false"}" data-index="${String(index)}">${cell("name", name, html` title="${row.entry.request.url}"`)}${cell("status", row.status)}${cell("protocol", html`<i class="chip ${shadeClass(row.protocol)}"></i>${protocolWords(row)}`)}${cell("kind", row.kind)}${cell("size num", size)}${cell("time num", formatTime(row.end_ms - row.start_ms))}<span role="gridcell" class="c bar" aria-label="${barWords(row)}"><svg aria-hidden="true" width="${width}" height="${String(rowHeight_px)}">${barMarkup(row, drawing)}</svg></span></div>`;
}

function headingMarkup(line: Extract<Line, { is: "connection" }>, { index, current, list }: Place): Markup {
  const first = line.rows[0];
  const entry = first?.entry;
  const protocols = [...new Set(line.rows.map(({ protocol }) => protocol))].join(", ");
  const address = entry?.serverIPAddress ? `, ${entry.serverIPAddress}` : "";
  const words =
    line.connection === null
      ? `No connection: ${count(line.rows.length, "request")}`
      : `Connection ${line.connection}: ${first?.host ?? ""}${address}, ${protocols}, ${count(line.rows.length, "request")}`;
  return html`<div role="row" id="${lineId(line, list)}" class="r group${current && " at"}" style="top:${String(index * rowHeight_px)}px" aria-rowindex="${String(index + 2)}" aria-selected="${current ? "true" : "false"}" data-index="${String(index)}"><span role="gridcell" aria-colspan="${String(columns.length)}" class="c whole">${words}</span></div>`;
}

export function lineMarkup(line: Line, place: Place, drawing: Drawing): Markup {
  return line.is === "request" ? requestMarkup(line.row, place, drawing) : headingMarkup(line, place);
}

/** The id of the line's element, for aria-activedescendant; `list` distinguishes lists of one page. */
export function lineId(line: Line, list: string): string {
  return `${list}-${line.is === "request" ? `r${line.row.number}` : `k${line.connection ?? 0}`}`;
}
