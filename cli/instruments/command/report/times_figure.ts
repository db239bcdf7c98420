// The times of commands as tracks, every run a dot, a figure for each link. Takes runs; draws by the figure that reports of pages have.

import { laneClass } from "../../../../extension/figures/colours.ts";
import { distributionFigure, type PlottedLane } from "../../../../extension/figures/distribution.ts";
import { html, type Markup } from "../../../../extension/figures/markup.ts";
import { middleCut } from "../../../base/middle_cut.ts";
import { formatTime } from "../../../base/numbers.ts";
import { savedFigure } from "../../../report/figures/figure_file.ts";
import type { MeasuredCell } from "../../../results/store/measured_runs.ts";
import { isAt, summarizeCommands } from "../answer/summary.ts";
import type { CommandRun } from "../metrics/values.ts";

const mostFigures = 24;
/** What the figure has room for beside its tracks. */
const nameLength = 16;
/** Colours that are apart for everybody. */
const colours = ["h2", "h3", "h1", "h3-0rtt", "h2-0rtt", "h3-altsvc"];

function trackOf(cell: MeasuredCell, place: number, runs: readonly CommandRun[]): PlottedLane {
  const own = runs.filter(isAt(cell));
  const [summary] = summarizeCommands([cell], own);
  const time = summary?.metrics.find(({ name, printed }) => name === "wall_ms" && !printed);
  const { median = null, low = null, high = null } = time ?? {};
  return {
    lane: middleCut(cell.subject, nameLength),
    className: laneClass(colours[place % colours.length] ?? "h2"),
    median,
    isAtLeast: false,
    interval: low === null || high === null ? null : { low, high },
    valid: summary?.valid ?? 0,
    timed_out: 0,
    variation: null,
    loads: own.flatMap(({ id, block, status, reasons, record }) => {
      if (record === null || record.process.timed_out) return [];
      const { wall_ms } = record.process;
      const outcome = status === "valid" ? "" : `, ${status}: ${reasons.join("; ")}`;
      const story = `run ${id}, ${cell.subject}, block ${block + 1}: ${formatTime(wall_ms)}${outcome}`;
      return [{ value: wall_ms, valid: status === "valid", story }];
    }),
  };
}

/** Empty: there is no run. */
export function timesFigures(cells: readonly MeasuredCell[], runs: readonly CommandRun[]): Markup[] {
  if (runs.length === 0) return [];
  const byLink = [...Map.groupBy(cells, ({ link }) => link)];
  return byLink.slice(0, mostFigures).map(([link, of]) => {
    const own = runs.filter((run) => run.link === link);
    const figure = distributionFigure(
      of.map((cell, place) => trackOf(cell, place, own)),
      {
        left: own.filter(({ status }) => status !== "valid").length,
        metric: { title: "time", noun: "time" },
        words: { attempt: "run", by: "command" },
      },
    );
    const saved = savedFigure(figure, {
      name: ["times", link ?? ""],
      columns: ["run_id", "command", "link", "block", "wall_ms", "status", "reasons"],
      rows: own.map(({ id, subject, block, status, reasons, record }) => [
        ...[id, subject, link, block, record?.process.wall_ms ?? null, status, reasons.join(" | ")],
      ]),
    });
    return byLink.length > 1 && link !== null ? html`<h3>${link}</h3>${saved}` : saved;
  });
}
