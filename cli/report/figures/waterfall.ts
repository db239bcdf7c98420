// The waterfalls of one page on one link as the report has them: drawn by extension/figures/waterfall.ts, with their requests
// as data.

import { phases } from "../../../extension/figures/colours.ts";
import type { Markup } from "../../../extension/figures/markup.ts";
import { connectionNumbers, phasesOf, protocolOf } from "../../../extension/figures/request.ts";
import { type DrawnLoad, waterfallFigure as drawn } from "../../../extension/figures/waterfall.ts";
import { savedFigure } from "./figure_file.ts";

function requestRows({ id, lane, pageLoad }: DrawnLoad): (string | number | null)[][] {
  const { entries } = pageLoad.log;
  const connections = connectionNumbers(entries);
  return entries.map((entry) => {
    const durations = new Map(phasesOf(entry).map(({ key, duration_ms }) => [key, duration_ms]));
    const { status, _transferSize } = entry.response;
    return [
      ...[lane, id, connections.get(entry._connectionId ?? entry.connection ?? "") ?? null, protocolOf(entry)],
      ...[entry.request.method, entry.request.url, status, _transferSize >= 0 ? _transferSize : null],
      ...[entry._trilane.startOffset_ms, ...phases.map(({ key }) => durations.get(key) ?? null)],
    ];
  });
}

export function waterfallFigure(loads: readonly DrawnLoad[], name: string, isExplained = true): Markup {
  return savedFigure(drawn(loads, name, isExplained), {
    name: ["waterfall", name],
    columns: [
      ...["lane", "load_id", "connection", "protocol", "method", "url", "status", "bytes", "start_ms"],
      ...phases.map(({ key }) => `${key}_ms`),
    ],
    rows: loads.flatMap(requestRows),
  });
}
