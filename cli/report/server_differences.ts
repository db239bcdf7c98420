// What differed between the servers of a lane, of the load that stands for each: connecting, first byte, packets, ACKs, the link's queue and
// the server's CPU time. Only what was measured, side by side; says not what of it made a load slower.
import { html, type Markup } from "../../extension/figures/markup.ts";
import type { PageLoad } from "../../schemas/generated/page_load.ts";
import { median } from "../base/quantile.ts";
import { urgentFirst_percent } from "../load/metrics/urgent_first.ts";
import { sortLanes } from "../results/verdict/sample.ts";
import type { ReportData, ShownFacts } from "./data.ts";

interface Seen {
  readonly facts: ShownFacts;
  /** null: its requests are not among those that are drawn. */
  readonly load: PageLoad | null;
}

type Value = (seen: Seen) => number | null;

const middle = (values: readonly number[]): number | null => (values.length === 0 ? null : median(values));

/** Of requests that opened a connection: name lookup apart, until it could be used. */
const connecting: Value = ({ load }) =>
  middle(
    load?.log.entries.flatMap(({ timings: { connect } }) => (connect !== undefined && connect > 0 ? [connect] : [])) ??
      [],
  );

const waiting: Value = ({ load }) =>
  middle(load?.log.entries.flatMap(({ timings: { wait } }) => (wait >= 0 ? [wait] : [])) ?? []);

const acks: Value = ({ facts: { shaper } }) =>
  shaper && shaper.down.packets_out > 0 ? (shaper.up.packets_in / shaper.down.packets_out) * 100 : null;

const kilo = (bytes: number | null | undefined): number | null => (typeof bytes === "number" ? bytes / 1000 : null);

const columns: readonly (readonly [title: string, unit: string, digits: number, value: Value])[] = [
  ["connecting, median", "ms", 1, connecting],
  ["waiting for a first byte, median", "ms", 1, waiting],
  ["first flight, largest", "kB", 1, ({ facts }) => kilo(facts.first_flight_bytes)],
  ["more urgent before less, of pairs", "%", 0, ({ load }) => load && urgentFirst_percent(load.log.entries)],
  ["connections", "", 0, ({ facts }) => facts.counts.connections],
  ["packets down", "", 0, ({ facts }) => facts.shaper?.down.packets_in ?? null],
  ["packets up per 100 down", "", 0, acks],
  ["longest queue at the link", "packets", 0, ({ facts }) => facts.shaper?.down.queue_peak_packets ?? null],
  ["dropped by a full queue", "packets", 0, ({ facts }) => facts.shaper?.down.drops.queue ?? null],
  ["server’s CPU time", "ms", 1, ({ facts }) => facts.server?.cpu_ms ?? null],
];

const cell = (value: number | null, unit: string, digits: number): Markup =>
  value === null
    ? html`<td class="num none">–</td>`
    : html`<td class="num">${value.toFixed(digits)}${unit === "" ? "" : ` ${unit}`}</td>`;

/** Null if no server of others stood in front of the recording, or there are too many places to put side by side. */
export function serverDifferences({
  facts,
  details,
  cells,
}: Pick<ReportData, "facts" | "details" | "cells">): Markup | null {
  const places = new Set(cells.map(({ page, link }) => JSON.stringify([page, link])));
  if (places.size !== 1 || ![...facts.values()].some(({ server }) => server)) return null;
  const byLabel = new Map(
    [...facts].map(([id, of]) => [of.label as string, { facts: of, load: details.get(id) ?? null }]),
  );
  const rows = sortLanes(byLabel.keys()).flatMap((label) => {
    const seen = byLabel.get(label);
    if (!seen) return [];
    return [
      html`<tr><th scope="row">${label}</th>${columns.map(([, unit, digits, value]) => cell(value(seen), unit, digits))}</tr>`,
    ];
  });
  return html`<div class="scroll"><table class="facts"><caption>What differed, in the load of each lane closest to its median. Packets up are ACKs but for requests; the queue’s length shows bursts. The first flight is what a server sent on a connection before it could hear of any of it: its initial window, if first responses are larger. The pairs are responses on one connection of which the more urgent was requested while the other one was waited for.</caption><thead><tr><th scope="col">lane</th>${columns.map(([title]) => html`<th scope="col" class="num">${title}</th>`)}</tr></thead><tbody>${rows}</tbody></table></div>`;
}
